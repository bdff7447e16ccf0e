"""Pictures of the media library in the responses with articles."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from blogapi.content.articles.responses.article_bodies import CHUNK_SIZE
from tests.conftest import ARTICLES, AUTHORS
from tests.content.media.pictures import add_picture, change_picture, delete_picture, list_uses, make_hash
from tests.delivery.changes.test_routes import CHANGES
from tests.stored_pictures import add_paths

SITE = "/api/v1/blog/site/"
SERVICE = "https://api.blog.example"
UNKNOWN = "media:00000000-0000-4000-8000-000000000001"


@pytest.fixture(params=["", SERVICE])
def service(request, as_login):
    """The address of the service, which is unknown or known."""
    as_login.patch(SITE, json={"service_url": request.param, "url": "https://blog.example", "title": "Bread"})
    return request.param


@pytest.fixture
def picture(app, people):
    """A picture with two renditions."""
    return add_picture(app, alt='A "cat" <b>', caption="Mimi & co")


def read(client, uuid, fields="html"):
    return client.get(f"{ARTICLES}{uuid}/?fields={fields}").json


def find_author(client):
    """Return the path of the profile of Ada."""
    return f"{AUTHORS}{client.get(f'{AUTHORS}ada/?fields=uuid').json['uuid']}/"


def make_srcset(picture, service=""):
    folder = picture.path.rpartition("/")[0]
    widths = (f"{service}{folder}/w{width}.webp {width}w" for width in (400, 640, 800, 1200))
    return ", ".join([*widths, f"{service}{picture.path} 1600w"])


@pytest.mark.parametrize(
    ("content_type", "written"),
    [
        ("markdown", '![]({0} "T") and text'),
        ("html", '<img src="{0}" title="T">'),
        ("html", '<img title="T" src="{1}">'),
        ("html", '<img title="T" src="{2}" alt="">'),
        ("html", '<img title="T" src=" {3} ">'),
    ],
)
def test_a_reference_becomes_a_picture_with_sizes(
    as_reader, make_article, picture, service, content_type, written
):
    upper = f"MEDIA:{str(picture.uuid).upper()}"
    content = written.format(picture.reference, picture.path, picture.renditions[0], upper)
    uuid = make_article(content=content, content_type=content_type).uuid
    shown = (
        f'<img src="{service}{picture.path}" srcset="{make_srcset(picture, service)}" '
        'sizes="(max-width: 800px) 100vw, 800px" width="1600" height="1200" '
        'alt="A &quot;cat&quot; &lt;b&gt;" loading="lazy" title="T">'
    )
    html = read(as_reader, uuid)["html"].strip().removeprefix("<p>").removesuffix(" and text</p>")
    assert html == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            '<img src="{ref}" alt="mine" width="300" loading="eager" class="alignleft">',
            '<img src="{path}" srcset="{srcset}" sizes="(max-width: 300px) 100vw, 300px" width="300" '
            'alt="mine" loading="eager" class="alignleft">',
        ),
        (
            '<img src="{ref}" srcset="{small} 1x, {ref} 2x, media:00000000-0000-4000-8000-000000000001 3x">',
            '<img src="{path}" srcset="{small} 1x,{path} 2x" width="1600" height="1200" alt="{alt}" '
            'loading="lazy">',
        ),
        ('<a href="{ref}">a</a>', '<a href="{path}">a</a>'),
        (
            '<video src="{ref}" poster="{small}"></video><audio src="{path}#t=1"></audio>',
            '<video src="{path}" poster="{small}"></video><audio src="{path}#t=1"></audio>',
        ),
        ('<picture><source srcset="{ref}"></picture>', '<picture><source srcset="{path}"></picture>'),
        ('<video><track src="{ref}"></video>', '<video><track src="{path}"></video>'),
        # Other texts are unchanged.
        ('<code>&lt;img src="{ref}"&gt;</code>', '<code>&lt;img src="{ref}"&gt;</code>'),
        ('<p title="{ref}">media: /media/</p>', '<p title="{ref}">media: /media/</p>'),
        # Unknown references by uuid are removed; other addresses are unchanged.
        (f'<img src="{UNKNOWN}" alt="a">', '<img alt="a">'),
        (f'<img src="/media/{make_hash("x")}/cat.jpg">', f'<img src="/media/{make_hash("x")}/cat.jpg">'),
        ('<img src="https://other.example/{path}">', '<img src="https://other.example/{path}">'),
        # Other addresses with this scheme, and in other places, are removed.
        ('<img src="media:x"><a href="me\tdia:{uuid}">a</a>', "<img>a"),
        ('<blockquote cite="{ref}">q</blockquote>', "<blockquote>q</blockquote>"),
        ('<a href="javascript:media:{uuid}">a</a>', "a"),
    ],
)
def test_the_html_of_references(as_reader, make_article, picture, written, shown):
    values = {
        **{"ref": picture.reference, "uuid": picture.uuid, "path": picture.path},
        **{"small": picture.renditions[0], "srcset": make_srcset(picture)},
        "alt": "A &quot;cat&quot; &lt;b&gt;",
    }
    uuid = make_article(content=written.format(**values)).uuid
    assert read(as_reader, uuid)["html"] == shown.format(**values)


def test_a_reference_below_a_former_address_of_the_service_stays(
    app, as_login, as_reader, make_article, picture, service
):
    uuid = make_article(content=f'<img src="{SERVICE}{picture.path}">').uuid
    as_login.patch(SITE, json={"service_url": "https://new.example"})
    change_picture(app, picture, alt="A dog")
    html = read(as_reader, uuid)["html"]
    assert make_srcset(picture, "https://new.example") in html and 'alt="A dog"' in html
    assert list_uses(app, picture) == {("article", uuid, True)}


def test_a_new_address_of_the_service_is_stored_in_everything_that_shows_files(
    as_admin, as_login, as_reader, make_article, make_category, picture
):
    category = make_category(cover_image=picture.reference)
    shown = make_article(content=f'<img src="{picture.reference}">', category=category)
    make_article(content="<p>No picture.</p>")
    as_admin.patch(find_author(as_admin), json={"avatar": picture.path})
    cursor = as_reader.get(f"{CHANGES}?since=now").json["cursor"]
    for address in ("https://one.example", "https://two.example", ""):
        assert as_login.patch(SITE, json={"service_url": address}).status_code == 200
        expected = f"{address}{picture.path}"
        article = as_reader.get(f"{ARTICLES}{shown.uuid}/?fields=html,category,authors").json
        assert f'src="{expected}"' in article["html"]
        assert (article["category"]["cover_image"], article["authors"][0]["avatar"]) == (expected, expected)
        assert as_admin.get(f"/api/v1/blog/media/{picture.uuid}/").json["url"] == expected
    changes = as_reader.get(f"{CHANGES}?since={cursor}").json["changes"]
    assert [one["uuid"] for one in changes if one["kind"] == "article"] == [str(shown.uuid)]


def test_the_path_of_an_imported_picture_is_resolved_in_its_article_only(
    app, as_reader, make_article, picture
):
    content = '<img src="/media/a%20b.png?a=1&amp;b"><a href="img/a.pdf">a</a>'
    article, other = make_article(content=content), make_article(content=content)
    unresolved = read(as_reader, article.uuid)["html"]
    with app.app_context():
        paths = ("/media/a%20b.png?a=1&b", "img/a.pdf")
        add_paths(article.uuid, dict.fromkeys(paths, picture.uuid))
    html = read(as_reader, article.uuid)["html"]
    assert f'src="{picture.path}" srcset' in html and f'href="{picture.path}"' in html
    assert read(as_reader, other.uuid)["html"] == unresolved


def test_all_addresses_of_a_response_follow_the_site(as_admin, as_login, as_reader, make_article, picture):
    body = {"cover_image": picture.reference, "content": f'<img src="{picture.reference}">'}
    article = make_article(**body)
    as_admin.patch(find_author(as_admin), json={"avatar": picture.path})
    as_login.patch(SITE, json={"url": "https://blog.example", "logo": picture.path, "title": "Bread"})
    path, other = f"{ARTICLES}{article.uuid}/", make_article(published_at="2026-01-02T00:00:00Z")
    paths = [
        f"{ARTICLES}{other.uuid}/?fields=previous,related",
        *(ARTICLES, f"{path}?fields=*,html,cover,authors,head", f"{ARTICLES}?fields=cover,authors,head"),
        *(f"{AUTHORS}ada/", AUTHORS, SITE, f"{ARTICLES}?q=article&fields=cover_image,snippet"),
        *("/feeds/rss.xml", "/feeds/atom.xml", "/feeds/feed.json"),
        as_admin.post(f"{path}preview/").json["api_url"],
    ]
    etags = {}
    for address in ("", SERVICE, ""):
        as_login.patch(SITE, json={"service_url": address})
        for one in paths:
            response = as_reader.get(one)
            shown = re.findall(rf"[^\s\"'\\,]*{re.escape(picture.path)}", response.text)
            # Feeds and heads need absolute addresses.
            absolute = {address, address or "https://blog.example"}
            assert {found.removesuffix(picture.path) for found in shown} <= absolute, one
            if address:
                assert etags[one] != response.headers["ETag"], one
            etags[one] = response.headers["ETag"]
            assert shown or "feeds" in one


def test_a_long_list_has_complete_addresses(as_login, as_reader, make_article, picture):
    as_login.patch(SITE, json={"service_url": SERVICE})
    make_article(cover_image=picture.path)
    for _ in range(CHUNK_SIZE):
        make_article()
    shown = as_reader.get(f"{ARTICLES}?fields=cover_image").json
    assert {article["cover_image"] for article in shown} == {"", f"{SERVICE}{picture.path}"}


def test_what_get_returns_is_a_put_that_changes_nothing(as_admin, as_login, make_article, picture, service):
    article = make_article(cover_image=picture.reference, content=f"![]({picture.reference})")
    path = f"{ARTICLES}{article.uuid}/"
    body = as_admin.get(f"{path}?fields=*,cover,html").json
    assert (
        body["cover_image"] == body["seo"]["og_image"] == body["cover"]["url"] == f"{service}{picture.path}"
    )
    assert as_admin.put(path, json=body).status_code == 200
    assert as_admin.patch(path, json=body).status_code == 200
    assert as_admin.get(f"{path}revisions/").json == []
    for one, name in ((find_author(as_admin), "avatar"), (SITE, "logo")):
        patched = as_login.patch(one, json={name: picture.reference})
        assert patched.json[name] == f"{service}{picture.path}"
        assert as_login.patch(one, json={name: patched.json[name]}).json == patched.json
        assert as_admin.get(one).json[name] == patched.json[name]


def test_lists_and_links_show_the_cover_of_a_single_article(as_reader, make_article, picture, service):
    shown = make_article(cover_image=picture.reference, published_at="2026-01-02T00:00:00Z")
    older, newer = (make_article(published_at=f"2026-01-0{day}T00:00:00Z") for day in (1, 3))
    cover = read(as_reader, shown.uuid, "cover")["cover"]
    folder = f"{service}{picture.path.rpartition('/')[0]}"
    assert (cover["url"], cover["width"], cover["alt"]) == (f"{service}{picture.path}", 1600, 'A "cat" <b>')
    assert [(one["url"], one["width"]) for one in cover["renditions"]] == [
        (f"{folder}/w{width}.webp", width) for width in (400, 800)
    ]
    listed = as_reader.get(f"{ARTICLES}?fields=uuid,cover").json
    assert {one["uuid"]: one["cover"] for one in listed} == {
        **{str(other.uuid): None for other in (older, newer)},
        str(shown.uuid): cover,
    }
    links = [read(as_reader, older.uuid, "next")["next"], read(as_reader, newer.uuid, "previous")["previous"]]
    assert [one["cover"] for one in links] == [cover, cover]
    related = read(as_reader, older.uuid, "related")["related"]
    assert [one["cover"] for one in related] == [None, cover]


def test_the_image_of_the_seo_record_follows_the_cover(app, as_admin, make_article, picture):
    article, other = make_article(cover_image=picture.reference), add_picture(app)
    path = f"{ARTICLES}{article.uuid}/"
    changed = as_admin.patch(path, json={"cover_image": other.reference}).json
    assert changed["seo"]["og_image"] == changed["cover_image"] == other.path
    changed = as_admin.patch(path, json={"seo": {"og_image": picture.reference}}).json
    assert as_admin.patch(path, json={"cover_image": ""}).json["seo"]["og_image"] == picture.path
    compared = as_admin.get(f"{path}revisions/1/compare/").json["changes"]
    assert {change["field"]: change["after"] for change in compared} == {
        "cover_image": "",
        "seo.og_image": picture.path,
    } or {change["field"] for change in compared} == {"cover_image"}
    revision = as_admin.get(f"{path}revisions/2/").json
    assert revision["cover_image"] == revision["seo"]["og_image"] == other.path


@pytest.mark.parametrize("address", [UNKNOWN, "media:x", "media:", "MEDIA:../x", "media://a"])
def test_an_unknown_reference_in_a_field_is_refused(as_admin, as_login, make_article, address):
    path = f"{ARTICLES}{make_article().uuid}/"
    response = as_admin.patch(path, json={"cover_image": address, "seo": {"og_image": address}})
    assert response.status_code == 422
    assert response.json["errors"].keys() == {"cover_image", "seo.og_image"}
    errors = as_admin.patch(find_author(as_admin), json={"avatar": address}).json["errors"]
    assert errors.keys() == {"avatar"}
    errors = as_login.patch(SITE, json={"logo": address, "icon": address}).json["errors"]
    assert errors.keys() == {"logo", "icon"}


def test_the_field_cover(app, as_reader, make_article, picture, service):
    article = make_article(cover_image=picture.reference)
    cover = read(as_reader, article.uuid, "cover")["cover"]
    assert cover == {
        "url": f"{service}{picture.path}",
        **{"width": 1600, "height": 1200, "alt": 'A "cat" <b>', "caption": "Mimi & co"},
        "renditions": [
            {"width": width, "height": width * 3 // 4, "url": f"{service}{path}"}
            for path, width in zip(picture.renditions, (400, 800), strict=True)
        ],
    }
    assert as_reader.get(f"{ARTICLES}?fields=cover").json == [{"cover": cover}]
    for address in ("", "https://other.example/a.png", f"/media/{make_hash('x')}/a.png"):
        assert read(as_reader, make_article(cover_image=address).uuid, "cover") == {"cover": None}
    sound = add_picture(app, name="a.mp3", type="audio/mpeg", width=None, height=None, is_scalable=False)
    assert read(as_reader, make_article(cover_image=sound.reference).uuid, "cover") == {"cover": None}


def test_the_head_shows_the_size_of_the_cover(as_reader, make_article, picture, service):
    head = read(as_reader, make_article(cover_image=picture.reference).uuid, "head")["head"]
    if not service:
        # A page cannot name an image without its absolute address.
        assert "og:image" not in head["open_graph"] and "image" not in head["json_ld"]["@graph"][0]
        return
    url = f"{service}{picture.path}"
    assert head["open_graph"]["og:image"] == head["twitter"]["twitter:image"] == url
    assert (head["open_graph"]["og:image:width"], head["open_graph"]["og:image:height"]) == ("1600", "1200")
    posting = head["json_ld"]["@graph"][0]
    assert posting["image"] == {"@type": "ImageObject", "url": url, "width": 1600, "height": 1200}
    assert 'property="og:image:width" content="1600"' in head["html"]


def test_a_change_of_a_file_is_never_stale(app, as_reader, make_article, picture):
    content = f'<img src="{picture.reference}"><img src="{picture.reference}" alt="mine">'
    article = make_article(content=content, cover_image=picture.path)
    path = f"{ARTICLES}{article.uuid}/?fields=html,cover"
    # The second read comes from the response cache.
    first = [as_reader.get(path) for _ in range(2)][1]
    cursor = as_reader.get("/api/v1/blog/changes/").json["cursor"]
    change_picture(app, picture, alt="A dog", caption="Rex")
    second = as_reader.get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert second.json["cover"]["alt"] == "A dog" and second.json["cover"]["caption"] == "Rex"
    assert second.json["html"].count('alt="A dog"') == second.json["html"].count('alt="mine"') == 1
    changes = as_reader.get(f"/api/v1/blog/changes/?since={cursor}").json
    assert [change["uuid"] for change in changes["changes"]] == [str(article.uuid)]
    delete_picture(app, picture)
    third = as_reader.get(path)
    assert third.json == {"html": '<img><img alt="mine">', "cover": None}
    changes = as_reader.get(f"/api/v1/blog/changes/?since={changes['cursor']}").json
    assert [change["uuid"] for change in changes["changes"]] == [str(article.uuid)]


def test_changes_through_the_api_are_never_stale(app, as_admin, as_reader, make_article):
    picture = add_picture(app, is_scalable=False)
    article = make_article(
        content=f"![]({picture.reference})", content_type="markdown", cover_image=picture.path
    )
    path, media = f"{ARTICLES}{article.uuid}/?fields=html,cover", f"/api/v1/blog/media/{picture.uuid}/"
    as_reader.get(path)
    assert as_admin.patch(media, json={"alt": "A dog"}).status_code == 200
    shown = as_reader.get(path).json
    assert 'alt="A dog"' in shown["html"] and shown["cover"]["alt"] == "A dog"
    refused = as_admin.delete(media)
    assert refused.status_code == 409
    assert as_admin.delete(f"{media}?force=true").status_code == 204
    assert as_reader.get(path).json == {"html": '<p><img alt=""></p>\n', "cover": None}
    # The field keeps the address, and can be sent back.
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"cover_image": picture.path}).status_code == 200


def test_the_commands_of_the_site_take_and_show_references(app, picture):
    runner = app.test_cli_runner()
    arguments = ["site", "set", f"logo={picture.reference}", f"service_url={SERVICE}"]
    assert runner.invoke(args=arguments).exit_code == 0
    assert f"logo={SERVICE}{picture.path}" in runner.invoke(args=["site", "show"]).output
    refused = runner.invoke(args=["site", "set", f"icon={UNKNOWN}"])
    assert refused.exit_code == 1 and "no such file" in refused.output


def test_the_contents_are_rendered_before_the_transaction(
    app, make_article, picture, contents_rendered_in_writes
):
    for _ in range(3):
        make_article(content=f'<img src="{picture.reference}">')
    del contents_rendered_in_writes[:]
    change_picture(app, picture, alt="A dog")
    assert contents_rendered_in_writes == []


def test_a_change_that_an_article_does_not_show_is_not_logged(app, as_admin, make_article, picture):
    article = make_article(content=f'<img src="{picture.reference}">')
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"content": "none"})
    cursor = as_admin.get("/api/v1/blog/changes/").json["cursor"]
    change_picture(app, picture, alt="A dog")
    assert as_admin.get(f"/api/v1/blog/changes/?since={cursor}").json["changes"] == []


def test_a_draft_stays_hidden_when_its_picture_changes(app, as_reader, as_admin, make_article, picture):
    article = make_article(content=f'<img src="{picture.reference}">', status="draft")
    cursor = as_reader.get("/api/v1/blog/changes/").json["cursor"]
    change_picture(app, picture, alt="A dog")
    assert 'alt="A dog"' in read(as_admin, article.uuid)["html"]
    assert as_reader.get(f"/api/v1/blog/changes/?since={cursor}").json["changes"] == []


def test_the_page_of_a_preview_shows_the_pictures(as_admin, as_stranger, make_article, picture):
    article = make_article(
        content=f"![]({picture.reference})", content_type="markdown", cover_image=picture.path
    )
    url = as_admin.post(f"{ARTICLES}{article.uuid}/preview/").json["url"]
    page = as_stranger.get(url, headers={"Accept": "text/html"}).text
    # A cover that is also the first picture of the text is shown once.
    assert page.count(f'src="{picture.path}"') == 1


def test_a_control_character_in_the_content_is_not_an_address(as_admin, as_login, make_article):
    assert as_login.patch(SITE, json={"service_url": SERVICE}).json["service_url"] == SERVICE
    content = '<h2 id="&#30;/media/">&#30;/media/a</h2>&#30;/media/<img src="&#30;/media/b">'
    shown = read(as_admin, make_article(content=content).uuid, "html,toc,excerpt")
    assert "/media/a</h2>" in shown["html"] and SERVICE not in json.dumps(shown)


def test_many_references_take_few_statements(app, as_admin, make_article, picture, record_statements):
    pictures = [picture.reference] * 5_000 + [f"media:{uuid4()}" for _ in range(1_000)]
    path = f"{ARTICLES}{make_article().uuid}/"
    body = {"content": "\n\n".join(f"![]({one})" for one in pictures), "content_type": "markdown"}
    with record_statements() as statements:
        assert as_admin.patch(path, json=body).status_code == 200
    assert len(statements) < 30
    html = read(as_admin, path.split("/")[-2])["html"]
    assert html.count(f'src="{picture.path}"') == 5_000 and html.count("srcset") == 2_000
    assert "media:" not in html


def test_references_cost_at_most_four_statements_and_other_articles_nothing(
    app, as_admin, make_article, picture, record_statements
):
    category = {"uuid": str(make_article().category_id)}

    def count(content, **fields):
        body = {"title": str(uuid4()), "category": category, "content": content} | fields
        with record_statements() as statements:
            assert as_admin.post(ARTICLES, json=body).status_code == 201
        return len(statements)

    count("")
    plain = count("<p>Some media, and <a href='/about/'>a link</a>.</p>")
    image = f'<img src="{picture.reference}">'
    # The first use also clears `unused_since`.
    assert count(image) == plain + 3
    assert count(image) == plain + 2
    assert count(image, cover_image=picture.path) == plain + 2


def test_the_time_of_publication_does_not_touch_pictures(as_admin, make_article, picture, record_statements):
    plain = [make_article() for _ in range(2)]
    counts = []
    for one in (*plain, make_article(content=f'<img src="{picture.reference}">')):
        with record_statements() as statements:
            body = {"published_at": datetime(2026, 2, 1, tzinfo=UTC).isoformat(), "title": str(uuid4())}
            assert as_admin.patch(f"{ARTICLES}{one.uuid}/", json=body).status_code == 200
        counts.append(len(statements))
    assert counts[1] == counts[2], statements


@pytest.mark.parametrize("path", ["img/A.PDF", "/files/book.epub?v=1", "{{ '/a.pdf' | relative_url }}"])
def test_an_imported_link_to_a_file_of_any_type_is_resolved(app, as_reader, make_article, picture, path):
    article = make_article(content=f'<a href="{path}">a</a>')
    with app.app_context():
        add_paths(article.uuid, {path: picture.uuid})
    assert f'href="{picture.path}"' in read(as_reader, article.uuid)["html"]
