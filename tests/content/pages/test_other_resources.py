"""Pages in what other resources show: the uses of files, unused terms, renderings and heads."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest

from tests.content.media.rows import MEDIA, add_media

PAGES = "/api/v1/blog/pages/"
RENDER = "/api/v1/blog/render/"
SITE = "/api/v1/blog/site/"


@pytest.fixture
def site(as_login):
    """The name and the address of the site."""
    as_login.patch(SITE, json={"url": "https://blog.example", "title": "Bread"})


def test_the_uses_of_a_file_name_pages(as_admin, make_page, make_article):
    page, article = make_page("Imprint"), make_article(title="Rye")
    uses = [("article", UUID(page["uuid"])), ("article", article.uuid), ("article", uuid4())]
    media = add_media(as_admin.application, uses=uses)
    answer = as_admin.get(f"{MEDIA}{media}/uses/").json
    assert {(use["kind"], use["title"]) for use in answer} == {
        *(("page", "Imprint"), ("article", "Rye"), ("article", None))
    }
    refused = as_admin.delete(f"{MEDIA}{media}/")
    assert any(text.startswith("The page 'Imprint'") for text in refused.json["errors"]["uses"])


def test_terms_of_pages_are_used(as_admin, make_page, make_tag, make_guest):
    make_tag("law"), make_tag("rye")
    guest, other = make_guest(), make_guest()
    page = make_page("Imprint", tags=[{"slug": "law"}], authors=[{"uuid": str(guest.uuid)}])
    assert [tag["slug"] for tag in as_admin.get("/api/v1/blog/tags/?used=never").json] == ["rye"]
    unused = {author["uuid"] for author in as_admin.get("/api/v1/blog/authors/?used=never").json}
    assert str(other.uuid) in unused and str(guest.uuid) not in unused
    as_admin.delete(f"{PAGES}{page['uuid']}/")
    assert len(as_admin.get("/api/v1/blog/tags/?used=never").json) == 2


def test_the_future_address_of_a_page(as_admin, as_author, site, make_page):
    about = make_page("About")["uuid"]
    team = make_page("Team", parent=about)["uuid"]
    body = {"content": "", "title": "Team"}

    def predict(**fields):
        answer = as_admin.post(RENDER, json={**body, **fields}).json
        return answer["slug"], answer["url"]

    assert predict(article=team) == ("team", "https://blog.example/about/team/")
    assert predict(article=team, slug="people") == ("people", "https://blog.example/about/people/")
    assert predict(article=team, parent=None) == ("team", "https://blog.example/team/")
    new = str(uuid4())
    assert predict(article=new, type="page", parent=about, title="New") == (
        *("new", "https://blog.example/about/new/"),
    )
    assert as_admin.put(f"{PAGES}{new}/", json={"title": "New", "parent": about}).json["slug"] == "new"
    assert predict(title="Team")[1] == "https://blog.example/team-2/"
    # An author writes no pages, and learns nothing of those that are hidden.
    hidden = make_page("Plans", status="draft")["uuid"]
    answer = as_author.post(RENDER, json={**body, "type": "page", "parent": hidden}).json
    assert answer["url"] == "https://blog.example/team/"
    assert as_admin.post(RENDER, json={**body, "type": "tag"}).status_code == 422


def test_the_head_of_a_page_shows_the_public_pages_above_it(as_reader, site, make_page):
    about = make_page("About")["uuid"]
    hidden = make_page("Secret plans", slug="plans", status="draft", parent=about)["uuid"]
    unlisted = make_page("Internal notes", slug="notes", status="unlisted", parent=hidden)["uuid"]
    make_page("Team", parent=unlisted)
    head = as_reader.get(f"{PAGES}team/?fields=head").json["head"]
    page, breadcrumbs = head["json_ld"]["@graph"][0], head["json_ld"]["@graph"][-1]
    assert [(one["name"], one["item"]) for one in breadcrumbs["itemListElement"]] == [
        ("Bread", "https://blog.example/"),
        ("About", "https://blog.example/about/"),
        ("Team", "https://blog.example/about/plans/notes/team/"),
    ]
    assert (page["@type"], "author" in page) == ("WebPage", False)
    assert not [name for name in head["open_graph"] if name.startswith("article:")]
    assert "Secret" not in str(head) and "Internal" not in str(head)
