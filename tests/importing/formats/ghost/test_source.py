import codecs
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord, AuthorRecord, TermRecord
from blogapi.importing.format_api.report import Result
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import Entry
from blogapi.importing.formats.ghost.source import FORMAT
from blogapi.importing.formats.ghost.tables import read_rows

NOW = datetime(2026, 1, 2, tzinfo=UTC)
UUID = "8492fbba-1102-4b53-8e3e-abe207952f0c"
DRAFT = "the article became a draft."
DATE = "2024-03-01T12:30:00.000Z"


def a_post(**fields):
    return {
        "id": "5c2ca6dfe015a6761618233f",
        "uuid": UUID,
        "title": "Hello",
        "slug": "hello",
        "html": "<p>Hi</p>",
        "status": "published",
        "visibility": "public",
        "published_at": DATE,
        **fields,
    }


def wrap(**tables):
    return json.dumps({"db": [{"meta": {"exported_on": 1, "version": "5.0.0"}, "data": tables}]})


@pytest.fixture
def read(tmp_path):
    """Read an export with this text or with these posts; return the source and its items."""

    def read(*posts, text="", name="export.json", **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        data = text or wrap(posts=posts)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        source = FORMAT.open_source([Entry(f"blog/{name}", path)], ImportOptions(now=NOW, **options))
        return source, list(source.read())

    return read


@pytest.mark.parametrize(
    ("head", "is_ghost"),
    [
        (wrap(posts=[]).encode(), True),
        (b'\xef\xbb\xbf \n{"db":[{"data":{}}]}', True),
        (b'{"meta":{"exported_on":1388318311015,"version":"000"},"data":{', True),
        (b'{"data":{"posts":[{"id":1,"title":"A","slug":"a","html":"<p>A</p>"}]}}', True),
        (b'{ "data" : {\n "permissions": [], "posts_tags": [{"id": 1}],', True),
        (b'{"data":{"users":[{"id":1,"name":"Ada"},', True),
        (b'{"data":{"posts":{"nodes":[{"title":"A"}]}}}', False),
        (b'{"data":{"items":[]}}', False),
        (b'{"data":{"users":[],"posts":[{"slug":"x","mobiledoc":null', True),
        (b'{"posts":[{"id":"1","slug":"x","feature_image":null', True),
        (wrap(posts=[]).encode("utf-16"), True),
        (b'{"posts":[{"title":"x","url":"/x/"}]}', False),
        (b'{"meta":{"version":1},"articles":[]}', False),
        (b'[{"posts":[{"slug":"","html":""}]}]', False),
        (b'---\n"db": x\n---\n{"db":[{"data":{}}]}', False),
        (b"", False),
        (b"\xff\xfe\x00", False),
    ],
)
def test_exports_are_recognised_by_their_content(head, is_ghost):
    assert FORMAT.detect(Entry("x", Path("x")), head) == is_ghost


@pytest.mark.parametrize(
    "text",
    [
        wrap(tags=[], posts=[a_post()]),
        json.dumps({"meta": {}, "data": {"posts": [a_post()]}}),
        json.dumps({"data": {"posts": [a_post()], "tags": []}}),
        json.dumps({"posts": [a_post()], "meta": {"pagination": {}}}),
        json.dumps({"images": [{"name": "x"}], "data": {"meta": {}, "data": {"posts": [a_post()]}}}),
        codecs.BOM_UTF8 + wrap(posts=[a_post()]).encode(),
        wrap(posts=[a_post()]).encode("utf-16"),
        wrap(posts=[a_post()], other={"posts": [{"x": [[1], {}]}]}, another=[[1], 5, None]),
    ],
)
def test_every_shape_of_an_export_is_read(read, text):
    _, items = read(text=text)
    assert [(item.key, item.title, item.content) for item in items] == [
        (f"ghost:{UUID}", "Hello", "<p>Hi</p>")
    ]


def test_a_record_has_all_fields_of_its_post(read):
    post = a_post(
        custom_excerpt="Short\ntext",
        meta_title="SEO",
        meta_description="About it",
        og_image="__GHOST_URL__/content/images/og.png",
        canonical_url="https://example.com/hello/",
        feature_image="__GHOST_URL__/content/images/size/w2000/2024/03/x.jpg",
    )
    avatar = {"profile_image": "//x.example/a.png"}
    tables = {
        "posts_meta": [{"post_id": post["id"], "feature_image_alt": "A cat", "meta_title": "other"}],
        "posts": [post],
        "posts_tags": [
            {"post_id": post["id"], "tag_id": tag, "sort_order": order}
            for tag, order in (("a", 2), ("b", 1), ("c", 0), ("d", 3))
        ],
        "tags": [
            {"id": id_, "name": name}
            for id_, name in (("a", "Old"), ("b", "#internal"), ("c", "News"), ("d", "news"))
        ],
        "posts_authors": [{"post_id": post["id"], "author_id": "2"}],
        "users": [
            {"id": "1", "name": "Nobody"},
            {"id": "2", "name": "Ada", "bio": "Bio", "website": "javascript:x", **avatar},
        ],
    }
    source, [record] = read(text=wrap(**tables))
    ada = AuthorRecord(name="Ada", bio="Bio", avatar="https://x.example/a.png")
    assert record == ArticleRecord(
        key=f"ghost:{UUID}",
        source="blog/export.json",
        path=record.path,
        title="Hello",
        excerpt="Short text",
        slug="hello",
        content="<p>Hi</p>",
        content_type="html",
        status="published",
        published_at=datetime(2024, 3, 1, 12, 30, tzinfo=UTC),
        tags=("News", "Old"),
        authors=(ada,),
        cover_image="/content/images/2024/03/x.jpg",
        cover_alt="A cat",
        og_image="/content/images/og.png",
        seo_title="SEO",
        seo_description="About it",
        canonical_url="https://example.com/hello/",
        former_paths=("/hello/",),
        addresses=("/hello/",),
    )
    bio = {"bio": "Bio", "avatar": "https://x.example/a.png"}
    assert [term for term in source.terms if term.kind == "author"] == [
        TermRecord(kind="author", name="Ada", fields=bio)
    ]
    assert source.left_behind == {"internal tags": 1, "users without posts": 1}


@pytest.mark.parametrize(
    ("fields", "status", "note"),
    [
        ({}, "published", ""),
        ({"visibility": None}, "published", ""),
        ({"published_at": 1388318310783}, "published", ""),
        ({"status": "scheduled", "published_at": "2026-01-03 00:00:00"}, "published", ""),
        ({"status": "scheduled"}, "draft", f"It was scheduled for a time that has passed; {DRAFT}"),
        ({"status": "scheduled", "published_at": None}, "draft", "It has no date of publication"),
        ({"status": "draft"}, "draft", ""),
        ({"status": "sent"}, "draft", f"It was sent as a newsletter and never published; {DRAFT}"),
        ({"email_only": 1}, "draft", "It is for newsletters only; the article became a draft."),
        ({"status": None}, "draft", "It has no status; the article became a draft."),
        ({"status": "live"}, "draft", "Its status “live” is unknown; the article became a draft."),
        ({"visibility": ["members"]}, "draft", "Only readers with the visibility “unknown” could read it"),
        ({"visibility": "members"}, "draft", "Only members could read it; the article became a draft."),
        ({"visibility": "paid"}, "draft", "Only paying members could read it"),
        ({"visibility": "tiers"}, "draft", "Only members of certain tiers could read it"),
        ({"visibility": "label:vip"}, "draft", "Only readers with the visibility “label:vip” could read it"),
        ({"published_at": None, "created_at": DATE}, "published", "It has no date of publication"),
    ],
)
def test_only_what_was_public_is_published(read, fields, status, note):
    _, [record] = read(a_post(**fields))
    assert record.status == status
    assert "\n".join(record.notes).startswith(note)
    assert bool(record.notes) == bool(note)


@pytest.mark.parametrize(
    ("value", "date"),
    [
        (1388318310783, datetime(2013, 12, 29, 11, 58, 30, 783000, tzinfo=UTC)),
        ("1388318310783", datetime(2013, 12, 29, 11, 58, 30, 783000, tzinfo=UTC)),
        (1388318310, datetime(2013, 12, 29, 11, 58, 30, tzinfo=UTC)),
        ("2024-03-01T12:30:00+02:00", datetime(2024, 3, 1, 10, 30, tzinfo=UTC)),
        (10**18, None),
        ("yesterday", None),
        ([], None),
    ],
)
def test_dates_are_numbers_or_texts(read, value, date):
    _, [record] = read(a_post(status="draft", published_at=value))
    assert record.published_at == date


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({}, f"ghost:{UUID}"),
        ({"uuid": UUID.upper()}, f"ghost:{UUID}"),
        ({"uuid": None}, "ghost:5c2ca6dfe015a6761618233f"),
        ({"uuid": None, "id": 7}, "ghost:hello:7"),
        ({"uuid": "x", "id": None, "slug": "a/b"}, "ghost:a%2Fb:"),
    ],
)
def test_the_key_identifies_the_post_in_all_exports(read, fields, key):
    _, [record] = read(a_post(**fields))
    assert record.key == key


@pytest.mark.parametrize("fields", [{"type": "page"}, {"page": 1}, {"page": True}])
def test_pages_are_pages(read, fields):
    _, [record] = read(a_post(**fields))
    assert (record.is_page, record.tags) == (True, ())


def test_embedded_tags_and_authors_of_the_api_are_read(read):
    tags = [{"name": "News"}, {"name": "#x", "visibility": "internal"}]
    _, [record] = read(a_post(tags=tags, authors=[{"id": "1", "name": "Ada"}]))
    assert (record.tags, [author.name for author in record.authors]) == (("News",), ["Ada"])


def test_a_post_whose_author_is_missing_has_no_author(read):
    source, [record] = read(a_post(author_id=5))
    assert record.authors == ()
    assert source.notes == [
        "“blog/export.json” has 1 post whose author it does not contain; the user who imports is the author."
    ]


def test_what_is_not_taken_is_counted_by_name(read):
    post = a_post(
        featured=1,
        codeinjection_head="<style></style>",
        twitter_title="Hello",
        twitter_description="Other",
        canonical_url="/elsewhere/",
        custom_template="",
    )
    tags = [{"id": 1, "name": "x", "description": "y", "feature_image": "/x.png"}]
    tables = {"members": [{}, {}], "offers": [], "settings": [{"key": "title"}], "roles": [{}], "tags": tags}
    source, [record] = read(text=wrap(posts=[post], **tables))
    assert record.featured
    assert source.left_behind == {
        "members": 2,
        "codeinjection_head": 1,
        "twitter_description": 1,
        "canonical URLs inside the blog": 1,
        "pictures of tags": 1,
    }
    assert TermRecord(kind="tag", name="x", fields={"description": "y"}) in source.terms


def test_tags_come_with_their_details(read):
    tag = {
        "id": 1,
        "name": "Rye",
        "meta_title": "M",
        "meta_description": "D",
        # Some addresses have no scheme in Ghost.
        "feature_image": "//x.test/a.png",
    }
    tag |= {"og_image": "//x.test/b.png", "canonical_url": "//x.test/rye/"}
    internal = {"id": 2, "name": "#hidden", "description": "internal"}
    source, _ = read(text=wrap(posts=[a_post()], tags=[tag, internal, {"id": 3, "name": "plain"}]))
    details = {
        "cover_image": "https://x.test/a.png",
        "seo_title": "M",
        "seo_description": "D",
        "og_image": "https://x.test/b.png",
        "canonical_url": "https://x.test/rye/",
    }
    assert [term for term in source.terms if term.kind == "tag"] == [
        TermRecord(kind="tag", name="Rye", fields=details),
        TermRecord(kind="tag", name="plain"),
    ]
    assert "pictures of tags" not in source.left_behind


@pytest.mark.parametrize("post", [None, 5, [], {}, {"status": "draft", "created_at": 1}])
def test_an_empty_post_is_refused_and_the_others_are_read(read, post):
    _, [report, record] = read(post, a_post())
    assert (report.result, report.source, report.title) == (Result.REFUSED, "blog/export.json", "Post 1")
    assert record.title == "Hello"


@pytest.mark.parametrize("date", [int("9" * 400), "9" * 400, 1e300, "0001-01-01T00:00:00.000Z"])
def test_a_date_that_no_calendar_has_is_missing(read, date):
    _, [record] = read(a_post(published_at=date, created_at=DATE))
    assert record.published_at == datetime(2024, 3, 1, 12, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("permalinks", "address"),
    [
        ("/:year/:month/:day/:slug/", "/2024/03/02/hello/"),
        ("/blog/:year/:slug/", "/blog/2024/hello/"),
        ("/:year/:author/:slug/", None),
        ("/:slug/", None),
    ],
)
def test_addresses_with_dates_are_known_in_the_time_zone_of_the_blog(read, permalinks, address):
    settings = [{"key": "permalinks", "value": permalinks}, {"key": "activeTimezone", "value": "Asia/Tokyo"}]
    _, [record] = read(text=wrap(posts=[a_post(published_at="2024-03-01T20:00:00Z")], settings=settings))
    assert record.addresses == (("/hello/", address) if address else ("/hello/",))


@pytest.mark.parametrize("zone", ["Nowhere/Else", "../../etc/passwd", "\0", "Europe"])
def test_an_unknown_time_zone_is_ignored(read, zone):
    _, [record] = read(text=wrap(posts=[a_post()], settings=[{"key": "timezone", "value": zone}]))
    assert record.title == "Hello"


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        (
            "redirects.json",
            '[{"from": "^/2019/old-name/?$", "to": "/hello/"}, {"from": "/hello", "to": "/hello/"}]',
            "/2019/old-name/",
        ),
        ("redirects.json", '\ufeff[{"from": "/old/", "to": "/hello/"}, {"from": "/a", "to": "/b"}]', "/old/"),
        ("redirects.yaml", "\ufeff301:\n  /old/: /hello/\n  /a: /b\n", "/old/"),
        (
            "redirects.yaml",
            "301:\n  /old-name/: /hello/\n302:\n  /a: https://example.com/x/y\n",
            "/old-name/",
        ),
    ],
)
def test_redirects_beside_the_export_become_former_paths(read, tmp_path, name, text, path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    source, [record] = read(a_post())
    assert (record.former_slugs, record.former_paths) == ((), (path, "/hello/"))
    assert source.left_behind == {"redirects": 1}


@pytest.mark.parametrize("text", ["{", "[" * 10_000, "5", "[5]"])
def test_redirects_that_cannot_be_read_do_not_stop_the_import(read, tmp_path, text):
    (tmp_path / "redirects.json").write_text(text, encoding="utf-8")
    _, [record] = read(a_post())
    assert (record.former_slugs, record.former_paths) == ((), ("/hello/",))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("{", "The JSON is damaged or incomplete (line 1, column 2); export the blog again."),
        (wrap(posts=[a_post()])[:-30], "The JSON is damaged or incomplete (line 1, column "),
        (f"{wrap(posts=[a_post()])}}}", "The JSON is damaged or incomplete (line 1, column "),
        ('{"db":[{"data":{"posts":[{"a":' + "[" * 100_000, "The JSON is damaged; export the blog again."),
        (f'{{"posts":[{"9" * 5_000}]}}', "The JSON is damaged; export the blog again."),
        ('{"asdadas":[{"data":{"posts":[{}]}}]}', "It contains no posts; choose “Export content”"),
        (wrap(posts=[]), "It contains no posts"),
    ],
)
def test_an_export_without_readable_posts_is_refused(read, text, note):
    _, [report] = read(text=text)
    assert (report.key, report.result) == ("blog/export.json", Result.REFUSED)
    assert report.notes[0].startswith(note)


def test_invalid_bytes_are_replaced(read):
    source, [record] = read(text=wrap(posts=[a_post(title="Caf@")]).encode().replace(b"@", b"\xe9"))
    assert record.title == "Caf\ufffd"
    assert source.notes[0] == "“blog/export.json” is not valid UTF-8; the invalid bytes became “\ufffd”."


@pytest.mark.parametrize(
    ("escaped", "title"),
    [
        (r"a \ud83d\ude00 b", "a 😀 b"),
        (r"a \ud83d", "a \ufffd"),
        (r"a \uDE00 b", "a \ufffd b"),
        (r"a \ud83d\u0020b", "a \ufffd b"),
        (r"a \\ud83d \\\ud83d b", "a \\ud83d \\\ufffd b"),
    ],
)
def test_halves_of_surrogate_pairs_are_replaced(tmp_path, escaped, title):
    path = tmp_path / "x.json"
    path.write_text(f'{{"posts":[{{"title":"{escaped}"}}]}}', encoding="utf-8")
    assert read_rows(path) == ([("posts", {"title": title})], False)


def test_a_file_that_is_gone_is_reported(tmp_path):
    source = FORMAT.open_source([Entry("x.json", tmp_path / "x.json")], ImportOptions(now=NOW))
    [report] = source.read()
    assert report.result is Result.REFUSED


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("a/x.json", ["a"]),
        ("content/data/x.json", ["content/data", "content", ""]),
        ("b/data/x.json", ["b/data", "b"]),
    ],
)
def test_pictures_are_looked_up_beside_the_export(read, tmp_path, name, folders):
    source, _ = read(a_post(), name=name)
    assert source.assets == [tmp_path / folder for folder in folders]


def test_the_base_url_names_the_host(read):
    source, _ = read(a_post(), base_url="https://Example.com/blog")
    assert source.hosts == {"example.com/blog"}


def test_the_storage_of_ghost_pro_is_a_host_of_the_blog(read):
    host = f"storage.ghost.io/c/8a/0f/{UUID}"
    source, _ = read(a_post(html=f'<img src="https://{host}/content/images/x.png">'))
    assert source.hosts == {host}


@pytest.mark.parametrize(
    ("name", "language"),
    [("#fr", "fr"), ("#lang-pt-BR", "pt-BR"), ("#language-de", "de"), ("#css", ""), ("fr", "")],
)
def test_an_internal_tag_names_the_language(read, name, language):
    _, [record] = read(a_post(tags=[{"name": name}]))
    assert record.language == language
