"""References to other items have one form in all bodies: an object, or a text (a uuid, else a slug)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

import pytest

from blogapi.content.articles.schemas import PageFieldsSchema, SingleArticleFieldsSchema
from blogapi.web.fields import REFERENCE_MESSAGE

BLOG = "/api/v1/blog/"
ARTICLES, PAGES, CATEGORIES = f"{BLOG}articles/", f"{BLOG}pages/", f"{BLOG}categories/"
# It looks like a uuid.
SLUG = "3f2b6c1e-8d4a-4f5b-9c7d"
OTHER_SLUG = "second"
MALFORMED = [5, True, [], {}, "", "No slug!", {"name": "Second"}, {"uuid": SLUG}, {"slug": 5}, {"slug": None}]


@dataclass(frozen=True)
class Place:
    """A member of a body that names items of a kind; `path` is that of the item or of the list."""

    kind: str
    member: str
    path: str
    is_list: bool = False
    takes_null: bool = False
    method: str = "PUT"

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.member}"

    def make_value(self, reference: Any) -> Any:
        """Return the value of the member of the body."""
        return [reference] if self.is_list else reference

    def read(self, body: dict[str, Any]) -> str:
        """Return the uuid in the response."""
        value = body["custom"][self.member.partition(".")[2]] if "." in self.member else body[self.member]
        value = value[0] if self.is_list else value
        return value["uuid"] if isinstance(value, dict) else value


TERMS = [("category", "category", False), ("tag", "tags", True), ("author", "authors", True)]
PLACES = [
    *(
        Place(kind, name, path, many, method=method)
        for kind, name, many in TERMS
        for path, method in ((ARTICLES, "POST"), (ARTICLES, "PATCH"), (f"{ARTICLES}:id/", "PUT"))
    ),
    *(
        Place(kind, name, f"{ARTICLES}:id/working-copy/", many, takes_null=kind == "category")
        for kind, name, many in TERMS
    ),
    *(
        Place(kind, name, f"{ARTICLES}:id/working-copy/", many, takes_null=kind == "category", method="PATCH")
        for kind, name, many in TERMS
    ),
    Place("category", "category", f"{ARTICLES}:id/revisions/", takes_null=True, method="POST"),
    Place("tag", "tags", f"{PAGES}:id/working-copy/", is_list=True),
    Place("author", "authors", PAGES, is_list=True),
    *(
        Place(kind, "parent", path, takes_null=True, method=method)
        for kind, many in (("page", PAGES), ("category", CATEGORIES))
        for path, method in ((many, "POST"), (many, "PUT"), (many, "PATCH"), (f"{many}:id/", "PATCH"))
    ),
    *(
        Place("article", name, path, name.endswith("s"), takes_null=True, method=method)
        for name, path, method in (
            *(("custom.sequel", ARTICLES, "POST"), ("custom.sequels", ARTICLES, "PATCH")),
            *(("custom.sequels", f"{ARTICLES}:id/", "PUT"), ("custom.sequel", f"{PAGES}:id/", "PATCH")),
            ("custom.sequels", f"{ARTICLES}:id/working-copy/", "PUT"),
        )
    ),
]


@pytest.fixture
def items(fill_blog, as_login, make_category, make_tag, make_guest, make_article):
    """The uuids of two items of each kind, whose slugs are SLUG and OTHER_SLUG, and two custom fields."""

    def fill():
        for name in ("sequel", "sequels"):
            body = {"name": name, "label": name, "type": "article", "list": name.endswith("s")}
            body |= {"kinds": ["article", "page"]}
            assert as_login.post(f"{BLOG}fields/", json=body).status_code == 201
        found: dict[str, list[str]] = {"page": []}
        for slug in (SLUG, OTHER_SLUG):
            category = make_category(name="C", slug=slug)
            made = {"category": category, "author": make_guest(slug=slug), "tag": make_tag(slug)}
            made |= {"article": make_article(category, slug=slug)}
            for kind, item in made.items():
                found.setdefault(kind, []).append(str(item.uuid))
            page = as_login.post(PAGES, json={"title": "P", "slug": f"{slug}-page"})
            found["page"].append(page.json["uuid"])
        return found

    return fill_blog("references", fill)


@pytest.fixture
def send(as_admin):
    """Return a function that sends a value to a place; a bulk write has it in the second of two items.

    It returns the response, and the path of the error of the value.
    """
    made: dict[str, list[str]] = {}
    numbers = count(1)

    def send(place: Place, value: Any, client: Any = as_admin) -> tuple[Any, str]:
        kind = place.path.removeprefix(BLOG).partition("/")[0]
        name, custom = "name" if kind == "categories" else "title", place.member.partition(".")[2]
        body = {name: f"New {next(numbers)}"} | (
            {"custom": {custom: value}} if custom else {place.member: value}
        )
        if place.path == f"{BLOG}{kind}/" and place.method == "POST":
            return _open(client, place, place.path, body), place.member
        if kind not in made:
            answers = [client.post(f"{BLOG}{kind}/", json={name: f"Before {one}"}) for one in range(2)]
            made[kind] = [answer.json["uuid"] for answer in answers]
        first, second = made[kind]
        if place.path == f"{BLOG}{kind}/":
            sent = [{"uuid": first, name: "First"}, body | {"uuid": second}]
            return _open(client, place, place.path, sent), f"1.{place.member}"
        path = place.path.replace(":id", second)
        body |= {"name": "Version"} if path.endswith("revisions/") else {}
        return _open(client, place, path, body), place.member

    return send


def _open(client: Any, place: Place, path: str, sent: Any) -> Any:
    is_documented = path.endswith(("working-copy/", "revisions/")) or isinstance(sent, list)
    fields = "" if is_documented else f"?fields={place.member.partition('.')[0]}"
    return client.open(path + fields, method=place.method, json=sent)


def read_stored(client: Any, place: Place, answer: Any) -> str:
    """Return the uuid that the place has after the write."""
    assert answer.status_code in (200, 201), answer.json
    if place.path.endswith("revisions/"):
        return place.read(client.get(f"{answer.request.path}{answer.json['number']}/").json)
    if isinstance(answer.json, list):
        single = f"{place.path}{answer.json[-1]['uuid']}/"
        return place.read(client.get(f"{single}?fields={place.member.partition('.')[0]}").json)
    return place.read(answer.json)


each_place = pytest.mark.parametrize("place", PLACES, ids=str)


@each_place
def test_each_form_finds_the_item_and_its_uuid_is_stored(place, items, send, as_admin):
    (first, second), slug = items[place.kind], f"{SLUG}-page" if place.kind == "page" else SLUG
    for form, uuid in (
        ({"uuid": second}, second),
        ({"slug": slug}, first),
        (second, second),
        (slug, first),
        ({"uuid": second, "slug": slug, "name": "ignored"}, second),
        (first.upper(), first),
    ):
        answer, _ = send(place, place.make_value(form))
        assert read_stored(as_admin, place, answer) == uuid, form


@each_place
def test_anything_else_is_an_error_that_says_what_to_send(place, items, send):
    unknown = ["nowhere", {"slug": "nowhere"}, str(uuid4()), {"uuid": str(uuid4())}, {"slug": str(uuid4())}]
    for value in (*MALFORMED, *unknown):
        if value == "" and place.member == "custom.sequel":
            continue  # An empty text removes the value of a custom field.
        answer, path = send(place, place.make_value(value))
        assert answer.status_code == 422, value
        ((name, (message,)),) = answer.json["errors"].items()
        assert name.startswith(path), value
        assert message.startswith("There is no such " if value in unknown else REFERENCE_MESSAGE), value
    answer, path = send(place, None)
    if place.takes_null:
        assert answer.status_code in (200, 201)
    else:
        assert (answer.status_code, list(answer.json["errors"])) == (422, [path])


@pytest.mark.parametrize("name", ["sequel", "sequels"])
def test_a_slug_finds_only_what_the_caller_may_see(
    name, items, send, as_author, as_editor, make_article, record_statements
):
    hidden = make_article(slug="hidden", status="draft")
    own = as_author.post(ARTICLES, json={"title": "Mine"}).json
    place = Place("article", f"custom.{name}", ARTICLES, name.endswith("s"), method="POST")
    refused = []
    for slug in ("nowhere", "hidden"):
        for form in (slug, {"slug": slug}):
            with record_statements() as executed:
                answer, _ = send(place, place.make_value(form), as_author)
            refused.append((answer.status_code, answer.json, executed))
    assert refused == [refused[0]] * 4
    assert refused[0][:2] == (
        422,
        refused[0][1] | {"errors": {f"custom.{name}": ["There is no such article."]}},
    )
    for form, uuid in (
        (own["slug"], own["uuid"]),
        (SLUG, items["article"][0]),
        (OTHER_SLUG, items["article"][1]),
    ):
        answer, _ = send(place, place.make_value(form), as_author)
        assert answer.status_code == 201, answer.json
        assert as_editor.get(f"{answer.headers['Location']}?fields=custom").json["custom"] == {
            name: place.make_value(uuid)
        }
    answer, _ = send(place, place.make_value("hidden"), as_editor)
    assert read_stored(as_editor, place, answer) == str(hidden.uuid)


def test_bulk_writes_with_slugs_of_parents_take_a_fixed_number_of_statements(
    items, as_admin, record_statements
):
    uuids = [as_admin.post(PAGES, json={"title": "T"}).json["uuid"] for _ in range(5)]
    counts = []
    for number in (1, 5):
        body = [{"uuid": uuid, "parent": f"{SLUG}-page", "position": number} for uuid in uuids[:number]]
        with record_statements() as executed:
            assert as_admin.patch(PAGES, json=body).status_code == 200
        counts.append(sum("article.parent_id" in one and " IN " not in one for one in executed))
    assert counts[0] == counts[1]


def test_a_rendering_takes_references(items, as_admin, as_login):
    site = {"title": "S", "url": "https://blog.example", "article_path": "/{category}/{slug}/"}
    assert as_login.patch(f"{BLOG}site/", json=site | {"page_path": "/{path}/"}).status_code == 200
    for kind, name, slug in (("category", "category", SLUG), ("page", "parent", f"{SLUG}-page")):
        for form in ({"uuid": items[kind][0]}, {"slug": slug}, items[kind][0], slug):
            body = {"title": "New", "type": "page" if kind == "page" else "article", name: form}
            answer = as_admin.post(f"{BLOG}render/", json=body)
            assert (answer.status_code, answer.json["url"]) == (200, f"https://blog.example/{slug}/new/"), (
                form
            )


SELECTABLE = {ARTICLES: SingleArticleFieldsSchema, PAGES: PageFieldsSchema}


@pytest.mark.parametrize("status", ["draft", "published", "scheduled", "archived"])
@pytest.mark.parametrize("path", [ARTICLES, PAGES])
@pytest.mark.parametrize("fields", ["", "?fields=all"])
def test_what_a_get_returns_is_a_body_of_the_working_copy(path, fields, status, items, as_editor):
    fields = fields.replace("all", ",".join(SELECTABLE[path]().fields))
    body = {"title": "New", "content": "*Words*", "content_type": "markdown", "status": status}
    body |= {"tags": [SLUG], "authors": [OTHER_SLUG, SLUG], "excerpt": "Written", "seo": {"title": "S"}}
    body |= {"custom": {"sequel": SLUG}} | ({"published_at": "2030-01-01"} if status == "scheduled" else {})
    body |= {"parent": f"{SLUG}-page", "position": 3} if path == PAGES else {"category": SLUG}
    created = as_editor.post(path, json=body)
    assert created.status_code == 201
    item = f"{path}{created.json['uuid']}/"
    shown = f"{item}?fields={','.join(name for name in body if name not in ('status', 'published_at'))}"
    read, before = as_editor.get(item + fields), as_editor.get(shown).json
    saved = as_editor.put(f"{item}working-copy/", json=read.json)
    if status == "scheduled":
        # It takes what is saved, and has no working copy.
        assert saved.status_code == 200, saved.json
        assert as_editor.get(f"{item}working-copy/").status_code == 404
        assert as_editor.get(shown).json == before
        return
    assert saved.status_code == 201, saved.json
    assert saved.json["custom"] == {"sequel": items["article"][0]}
    assert saved.json["tags"] == items["tag"][:1]
    assert as_editor.put(f"{item}working-copy/", json=saved.json).status_code == 200
    patched = as_editor.patch(f"{item}working-copy/", json=saved.json)
    assert (patched.status_code, patched.json) == (200, saved.json)
    assert as_editor.patch(f"{item}working-copy/", json=as_editor.get(item).json).json == saved.json
    published = as_editor.post(f"{item}working-copy/publish/", json={"status": status})
    assert published.status_code == 200
    assert as_editor.get(shown).json == before


def test_an_author_saves_what_a_get_returns(items, as_author):
    uuid = as_author.post(ARTICLES, json={"title": "Mine", "tags": [SLUG]}).json["uuid"]
    read = as_author.get(f"{ARTICLES}{uuid}/?fields=*,authors,custom").json
    saved = as_author.put(f"{ARTICLES}{uuid}/working-copy/", json=read)
    assert (saved.status_code, saved.json["tags"]) == (201, items["tag"][:1])
    others = read | {"authors": [SLUG]}
    assert as_author.put(f"{ARTICLES}{uuid}/working-copy/", json=others).status_code == 403


def test_the_document_describes_the_forms(contract):
    schemas = contract.document["components"]["schemas"]
    union = [{"$ref": "#/components/schemas/Reference"}, {"type": "string"}]
    assert schemas["Reference"]["properties"].keys() == {"uuid", "slug"}
    assert schemas["ArticleBody"]["properties"]["category"]["anyOf"] == union
    assert schemas["ArticleBody"]["properties"]["tags"]["items"]["anyOf"] == union
    for name, member in (("PageBody", "parent"), ("CategoryBody", "parent"), ("WorkingCopyBody", "category")):
        assert schemas[name]["properties"][member]["anyOf"] == [*union, {"type": "null"}]
