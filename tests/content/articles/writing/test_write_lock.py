"""Under the write lock, a create executes few statements, and what has changed meanwhile is checked again."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import event, select

from blogapi.accounts.api_keys import service as api_keys
from blogapi.accounts.users import service as users
from blogapi.content.articles import service
from blogapi.content.articles.models import Article
from blogapi.content.articles.writing import rerendering
from blogapi.rendering import renderer
from blogapi.storage.database import WRITE_TRANSACTION_KEY, db
from blogapi.web.access import Role
from tests import event_guard
from tests.conftest import ARTICLES, TAGS
from tests.content.articles.conftest import FUTURE
from tests.content.media.pictures import add_picture
from tests.databases import SERVER_URL


@pytest.fixture
def statements_under_lock(app):
    """The statements that writes execute while they hold the write lock."""
    executed = []

    def note(connection, cursor, statement, *_):
        is_taking = statement.startswith(("BEGIN", "PRAGMA", "SELECT pg_advisory_xact_lock"))
        if WRITE_TRANSACTION_KEY in db.session().info and not is_taking and not event_guard.is_checking():
            executed.append(statement)

    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    yield executed
    event.remove(engine, "before_cursor_execute", note)


@pytest.fixture
def meanwhile(monkeypatch):
    """Calls a function between the preparation of the next write and its transaction."""
    prepare, functions = service.prerender_inputs, []

    def prepare_and_call(*arguments, **options):
        prepare(*arguments, **options)
        if functions:
            functions.pop()()

    monkeypatch.setattr(service, "prerender_inputs", prepare_and_call)
    return functions.append


def test_a_create_executes_few_statements_under_the_lock(
    as_admin, body, make_tag, statements_under_lock, monkeypatch
):
    monkeypatch.setattr("blogapi.accounts.api_keys.service.record_key_use", lambda *_, **__: True)
    tags = [{"uuid": str(make_tag().uuid)} for _ in range(3)]
    # This makes the author public.
    as_admin.post(ARTICLES, json=body(status="published"))
    del statements_under_lock[:]
    response = as_admin.post(ARTICLES, json=body(status="published", tags=tags, content="x " * 2_000))
    assert response.status_code == 201
    # The version with the commit counter; the references with the slugs; the site with the custom fields;
    # five for the rows and the words; one for the response; three for the events and the commit counter; and
    # on PostgreSQL the clock of the database.
    assert len(statements_under_lock) == 13 + bool(SERVER_URL), statements_under_lock


@pytest.mark.parametrize("fields", [{}, {"status": "published"}, {"published_at": FUTURE}])
def test_the_response_to_a_create_equals_that_of_a_read(as_admin, body, make_tag, make_guest, fields):
    terms = {"tags": [make_tag(), make_tag()], "authors": [make_guest(), make_guest()]}
    references = {name: [{"slug": term.slug} for term in some] for name, some in terms.items()}
    names = "fields=uuid,html,toc,excerpt,tags,authors,category,status,content,head,seo,url"
    for given in ({}, references):
        for query in ("", f"?{names}"):
            created = as_admin.post(
                f"{ARTICLES}{query}", json=body(content='<h2>"A" \\ é</h2>', **given, **fields)
            )
            read = as_admin.get(f"{ARTICLES}{created.json['uuid']}/{query}")
            assert (created.data, created.headers["ETag"]) == (read.data, read.headers["ETag"])


@pytest.mark.parametrize("name", ["tags", "category"])
def test_a_reference_to_a_term_that_was_deleted_meanwhile_is_refused(
    as_admin, body, make_tag, make_category, meanwhile, name
):
    term, path = (make_tag(), TAGS) if name == "tags" else (make_category(), "/api/v1/blog/categories/")
    reference = {"uuid": str(term.uuid)}
    meanwhile(lambda: as_admin.delete(f"{path}{term.uuid}/"))
    response = as_admin.post(ARTICLES, json=body(**{name: [reference] if name == "tags" else reference}))
    assert (response.status_code, [*response.json["errors"]]) == (
        422,
        ["tags.0.uuid" if name == "tags" else "category.uuid"],
    )


def test_a_slug_that_was_taken_meanwhile_is_refused_or_numbered(as_admin, body, meanwhile):
    meanwhile(lambda: as_admin.post(ARTICLES, json=body(slug="bread")))
    response = as_admin.post(ARTICLES, json=body(slug="bread"))
    assert (response.status_code, response.json["code"]) == (409, "slug_taken")
    meanwhile(lambda: as_admin.post(ARTICLES, json=body(title="Rye")))
    assert as_admin.post(ARTICLES, json=body(title="Rye")).json["slug"] == "rye-2"


def test_an_etag_that_became_stale_meanwhile_is_refused(as_admin, write, meanwhile):
    path = f"{ARTICLES}{write(title='One')['uuid']}/"
    etag = as_admin.get(path).headers["ETag"]
    meanwhile(lambda: as_admin.patch(path, json={"content": "theirs"}))
    response = as_admin.patch(path, json={"content": "mine"}, headers={"If-Match": etag})
    assert response.status_code == 412
    assert as_admin.get(path).json["content"] == "theirs"


def test_the_words_of_a_title_that_changed_meanwhile_are_found(as_admin, as_reader, write, meanwhile):
    path = f"{ARTICLES}{write(title='One', status='published')['uuid']}/"
    meanwhile(lambda: as_admin.patch(path, json={"title": "Sourdough"}))
    changed = as_admin.patch(path, json={"content": "Mine"}).json
    assert (changed["title"], changed["content"]) == ("Sourdough", "Mine")
    for query in ("sourdough", "mine"):
        assert len(as_reader.get(f"{ARTICLES}?q={query}").json) == 1


def test_a_content_that_changed_meanwhile_is_rendered_under_the_lock(as_admin, write, meanwhile):
    path = f"{ARTICLES}{write(title='One', content='first', content_type='text')['uuid']}/"
    meanwhile(lambda: as_admin.patch(path, json={"content": "*theirs*"}))
    shown = as_admin.patch(f"{path}?fields=content,html,excerpt", json={"content_type": "markdown"}).json
    assert shown == {"content": "*theirs*", "html": "<p><em>theirs</em></p>\n", "excerpt": "theirs"}


def test_the_generated_excerpt_of_a_content_that_changed_meanwhile_stays_generated(
    as_admin, write, meanwhile
):
    path = f"{ARTICLES}{write(title='One', content='<p>first</p>')['uuid']}/"
    meanwhile(lambda: as_admin.patch(path, json={"content": "<p>theirs</p>"}))
    as_admin.patch(path, json={"content": "<p>mine</p>", "excerpt": "theirs"})
    as_admin.patch(path, json={"content": "<p>last</p>"})
    assert as_admin.get(f"{path}?fields=excerpt").json == {"excerpt": "last"}


def test_a_content_that_changed_before_a_file_of_it_is_rendered_under_the_lock(
    app, as_admin, write, monkeypatch
):
    picture = add_picture(app)
    path = f"{ARTICLES}{write(content=f'<p><img src={picture.path}></p>')['uuid']}/"
    prepare = rerendering.prerender_articles_using_files

    def prepare_and_change(media_ids):
        prepare(media_ids)
        as_admin.patch(path, json={"content": f"<p>theirs <img src={picture.path}></p>"})

    monkeypatch.setattr(rerendering, "prerender_articles_using_files", prepare_and_change)
    response = as_admin.patch(f"/api/v1/blog/media/{picture.uuid}/", json={"alt": "A loaf"})
    assert response.status_code == 200
    html = as_admin.get(f"{path}?fields=html").json["html"]
    assert html.startswith("<p>theirs") and 'alt="A loaf"' in html


@pytest.mark.parametrize(
    ("fields", "count"),
    [({"service_url": "https://api.example"}, 2), ({"title": "New", "service_url": ""}, 0)],
)
def test_a_new_address_of_the_service_renders_articles_before_the_lock(
    app, as_login, write, monkeypatch, fields, count
):
    for number in range(3):
        picture = f"<img src={add_picture(app).path}>" if number else ""
        write(title=f"{number}", content=f"<p>{number}{picture}</p>")
    render, states = renderer.render_text, []

    def note_state(*arguments):
        states.append(WRITE_TRANSACTION_KEY in db.session().info)
        return render(*arguments)

    monkeypatch.setattr(renderer, "render_text", note_state)
    assert as_login.patch("/api/v1/blog/site/", json=fields).status_code == 200
    assert states == [False] * count
    app.test_cli_runner().invoke(args=["site", "set", "service_url=https://other.example"])
    assert states == [False] * (count + 2)


def test_a_replaced_article_that_was_deleted_meanwhile_is_created(as_admin, body, meanwhile):
    path = f"{ARTICLES}{uuid4()}/"
    as_admin.put(path, json=body(content="first"))
    meanwhile(lambda: as_admin.delete(path))
    response = as_admin.put(path, json=body(content="second"))
    assert (response.status_code, response.json["content"]) == (201, "second")


@pytest.mark.parametrize(
    ("change", "status"), [("key deleted", 401), ("user disabled", 401), ("role changed", 403)]
)
def test_a_write_whose_permission_ended_meanwhile_is_refused(
    app, people, make_client, body, meanwhile, change, status
):
    key = people.key(people.admin, "write")
    client = make_client(app, key)
    assert client.post(ARTICLES, json=body(title="Before")).status_code == 201

    def end_permission():
        with app.app_context():
            if change == "key deleted":
                api_keys.delete_key_unchecked(UUID(people.uuid(key)))
            else:
                fields = {"role": Role.READER} if change == "role changed" else {"disabled": True}
                users.change_user(people.admin.uuid, fields)

    meanwhile(end_permission)
    assert client.post(ARTICLES, json=body(title="After")).status_code == status
    with app.app_context():
        assert db.session.scalars(select(Article.title)).all() == ["Before"]


@pytest.mark.parametrize("scope", ["write", "login"])
def test_a_write_whose_user_was_deleted_meanwhile_is_refused(app, as_role, body, meanwhile, scope):
    client = as_role(Role.EDITOR, scope)

    def delete_user():
        with app.app_context():
            users.delete_user_by_name("editor")

    fields = body()
    meanwhile(delete_user)
    assert client.post(ARTICLES, json=fields).status_code == 401
