"""Two applications in one process each have their own blog, settings and functions.

The two blogs have the same picture at the same path, so that a mix-up shows. While the functions of higher
packages were set for the process, only the last test failed, because all applications set the same ones.
The other tests guard what depends on the blog and the settings of an application.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from uuid import UUID

import pytest
from flask import Flask

from blogapi.content import dependencies
from blogapi.web.media_addresses import add_service_url
from tests.conftest import ARTICLES, CATEGORIES, People
from tests.content.media.rows import MEDIA
from tests.contracts.client import CheckedClient
from tests.databases import close_connections, create_test_app
from tests.stored_pictures import store_picture

SETTINGS = {
    "red": {"MEDIA_TYPES": "epub=application/epub+zip", "CORS_ORIGINS": "https://red.example"},
    "blue": {"PUBLIC_READS": True, "METRICS": True},
    "other": {},
}


@dataclass
class Blog:
    """An application, a client of an admin, a picture, and an article that shows it."""

    app: Flask
    client: CheckedClient
    picture: UUID
    path: str
    article: str = ""

    @property
    def detail(self) -> str:
        return f"{ARTICLES}{self.article}/?fields=title,html,cover_image"

    def show(self) -> dict[str, str]:
        return self.client.get(self.detail).json

    def set_service_url(self, url: str) -> None:
        result = self.app.test_cli_runner().invoke(args=["site", "set", f"service_url={url}"])
        assert result.exit_code == 0, result.output


@pytest.fixture
def make_blog(databases, tmp_path, monkeypatch, make_client):
    """Creates an application on an own instance folder, with a picture and the address of its service."""
    apps = []

    def make(name: str) -> Blog:
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(folder))
        app = create_test_app(databases.create_current(folder), **SETTINGS[name])
        apps.append(app)
        people = People(app)
        picture = store_picture(app, "green")
        client = make_client(app, people.key(people.admin, "write"))
        blog = Blog(app, client, picture.uuid, f"/media/{picture.hash}/green.png")
        blog.set_service_url(f"https://{name}.example")
        return blog

    yield make
    for app in apps:
        close_connections(app)


@pytest.fixture
def blogs(make_blog):
    """Two blogs; each has an article with its picture. The requests to create them alternate."""
    both = red, blue = make_blog("red"), make_blog("blue")
    for blog in both:
        blog.client.post(CATEGORIES, json={"name": "Food", "cover_image": blog.path})
    for blog in both:
        reference = f"media:{blog.picture}"
        body = {"title": "Bread", "content": f'<img src="{reference}">', "cover_image": reference}
        body |= {"category": {"slug": "food"}, "status": "published"}
        blog.article = blog.client.post(ARTICLES, json=body).json["uuid"]
    return red, blue


def test_each_application_shows_pictures_below_its_own_address(blogs):
    assert blogs[0].path == blogs[1].path
    for blog, name in zip(blogs * 2, ("red", "blue") * 2, strict=True):
        address = f"https://{name}.example{blog.path}"
        shown = blog.show()
        assert (shown["cover_image"], f'src="{address}"' in shown["html"]) == (address, True)
        assert [one["cover_image"] for one in blog.client.get(CATEGORIES).json if one["cover_image"]] == [
            address
        ]
        assert [one["url"] for one in blog.client.get(MEDIA).json] == [address]


def test_a_request_within_the_context_of_another_application_leaves_its_addresses(blogs):
    red, blue = blogs
    with red.app.app_context():
        addresses = [add_service_url(red.path)]
        assert blue.show()["cover_image"] == f"https://blue.example{blue.path}"
        addresses.append(add_service_url(red.path))
        with blue.app.app_context():
            addresses.append(add_service_url(red.path))
        addresses.append(add_service_url(red.path))
    names = [address.removesuffix(red.path) for address in addresses]
    assert names == [f"https://{name}.example" for name in ("red", "red", "blue", "red")]


def test_a_changed_file_renders_the_articles_of_its_own_blog_again(blogs):
    red, blue = blogs
    changed = red.client.patch(f"{MEDIA}{red.picture}/", json={"alt": "A loaf"})
    assert changed.status_code == 200
    assert ['alt="A loaf"' in blog.show()["html"] for blog in blogs] == [True, False]
    blue.client.patch(f"{MEDIA}{blue.picture}/", json={"alt": "A roll"})
    assert ['alt="A loaf"' in blog.show()["html"] for blog in blogs] == [True, False]
    assert ['alt="A roll"' in blog.show()["html"] for blog in blogs] == [False, True]


def test_a_deleted_file_stays_in_the_other_blog(blogs):
    red = blogs[0]
    assert red.client.delete(f"{MEDIA}{red.picture}/?force=true").status_code == 204
    assert [blog.client.get(blog.path).status_code for blog in blogs] == [404, 200]
    assert [blog.path in blog.show()["html"] for blog in blogs] == [False, True]


def test_a_new_service_url_changes_the_addresses_of_its_own_blog(blogs):
    red, blue = blogs
    red.set_service_url("https://new.example")
    for blog, url in ((red, "https://new.example"), (blue, "https://blue.example")) * 2:
        shown = blog.show()
        assert shown["cover_image"] == f"{url}{blog.path}" and f'src="{url}{blog.path}"' in shown["html"]
        assert blog.client.get(MEDIA).json[0]["url"] == f"{url}{blog.path}"


def test_each_application_has_its_own_settings(blogs, make_client):
    statuses = [make_client(blog.app).get(ARTICLES).status_code for blog in blogs * 2]
    assert statuses == [401, 200] * 2
    headers = {"Origin": "https://red.example"}
    answers = [blog.client.get(blog.path, headers=headers) for blog in blogs * 2]
    assert ["Access-Control-Allow-Origin" in answer.headers for answer in answers] == [True, False] * 2


@pytest.fixture
def make_other_blog(make_blog, monkeypatch):
    """Creates a blog whose application has other functions; returns it, and the list of files it renders."""

    def make() -> tuple[Blog, list[UUID]]:
        files: list[UUID] = []
        library = vars(dependencies.library) | {"get_service_url": lambda: "https://other.example"}
        articles = SimpleNamespace(
            prerender_articles_using_files=files.extend,
            rerender_articles_using_files=lambda session, uuids: files.extend(uuids),
        )
        with monkeypatch.context() as patch:
            patch.setattr(dependencies, "library", SimpleNamespace(**library))
            patch.setattr(dependencies, "rerendering", articles)
            blog = make_blog("other")
        files.clear()
        return blog, files

    return make


def test_a_later_application_with_other_functions_leaves_those_of_the_first(blogs, make_other_blog):
    (red, _), (other, rendered) = blogs, make_other_blog()
    shown = []
    for blog in (red, other):
        category = blog.client.post(CATEGORIES, json={"name": "Drinks", "cover_image": blog.path}).json
        shown.append(category["cover_image"].removesuffix(blog.path))
        blog.client.patch(f"{MEDIA}{blog.picture}/", json={"alt": "A loaf"})
        # Each file is prepared, and then rendered.
        assert rendered == ([other.picture] * 2 if blog is other else [])
    assert shown == ["https://red.example", "https://other.example"]
    assert 'alt="A loaf"' in red.show()["html"]
