"""The fields of each response in order, with the format of each value.

The OpenAPI document is generated from the same schemas, so it cannot detect a changed response.
"""

from __future__ import annotations

import re

import pytest

from tests.conftest import ARTICLES, CATEGORIES, KEYS, TAGS

FORMATS = {
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "naive time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}",
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00",
    "key": r"blogapi_[0-9A-Za-z]{38}",
    "key prefix": r"blogapi_[0-9A-Za-z]{6}",
    "preview path": r"/preview/[\w-]{43}",
    "API path of a preview": r"/api/v1/blog/preview/[\w-]{43}/",
    "cursor": r"[0-9a-f]{8}-[ap]\d+",
}

TAG = [
    *(("uuid", "uuid"), ("created", "naive time"), ("last_updated", "naive time")),
    *(("name", "text"), ("slug", "text"), ("user", "uuid")),
]
CATEGORY = [
    *(("uuid", "uuid"), ("name", "text"), ("description", "text")),
    *(("cover_image", "text"), ("slug", "text")),
]
ARTICLE = [
    *(("uuid", "uuid"), ("author", "uuid"), ("title", "text"), ("subtitle", "text"), ("tags", [TAG])),
    ("category", [*CATEGORY, ("user", "uuid"), ("created", "naive time"), ("last_updated", "naive time")]),
    *(("slug", "text"), ("cover_image", "text"), ("content", "text"), ("status", "text")),
    ("content_type", "text"),
    (
        "seo",
        [
            *(
                ("uuid", "uuid"),
                ("created", "naive time"),
                ("last_updated", "naive time"),
                ("og_image", "text"),
            ),
            *(("title", "text"), ("description", "text"), ("canonical_url", "text"), ("article", "uuid")),
        ],
    ),
]
DERIVED_FIELDS = [
    *(("created", "time"), ("last_updated", "time"), ("published_at", "time"), ("excerpt", "text")),
    *(("reading_minutes", "number"), ("word_count", "number"), ("html", "text")),
    ("toc", [[("level", "number"), ("text", "text"), ("id", "text")]]),
]
PREVIEW = [("uuid", "uuid"), ("created", "time"), ("expires", "time"), ("user", "uuid")]
REVISION = [
    *(("number", "number"), ("created", "time"), ("user", "uuid"), ("key_name", "text")),
    *(("name", "text"), ("title", "text"), ("status", "text")),
]
SINGLE_REVISION = [
    *REVISION,
    *(("slug", "text"), ("published_at", "time"), ("category", "uuid"), ("tags", ["uuid"])),
    ("authors", ["uuid"]),
    ("seo", [("title", "text"), ("description", "text"), ("og_image", "text"), ("canonical_url", "text")]),
    ("custom", []),
    *(("subtitle", "text"), ("excerpt", "text"), ("content", "text"), ("content_type", "text")),
    *(("cover_image", "text"), ("featured", "boolean"), ("robots", "text"), ("language", "text")),
    ("translation_key", "text"),
]
NEW_KEY = [("public_state", "key"), ("uuid", "uuid"), ("created", "time")]
KEY = [
    *(("uuid", "uuid"), ("name", "text"), ("prefix", "key prefix"), ("scopes", ["text"])),
    *(("user", "uuid"), ("created", "time"), ("expires", "time"), ("last_used", "time")),
]
USER = [("uuid", "uuid"), ("username", "text"), ("role", "text")]
PROBLEM = [("type", "text"), ("title", "text"), ("status", "number"), ("detail", "text"), ("code", "text")]

READS = [
    (ARTICLES, [ARTICLE]),
    (f"{ARTICLES}author/me/", [ARTICLE]),
    ("{article}", ARTICLE),
    (f"{{article}}?fields={','.join(name for name, _ in DERIVED_FIELDS)}", DERIVED_FIELDS),
    (f"{ARTICLES}?q=words&fields=uuid,snippet", [[("uuid", "uuid"), ("snippet", "text")]]),
    ("{preview}", ARTICLE),
    ("{article}preview/", [PREVIEW]),
    ("{article}revisions/", [REVISION]),
    ("{article}revisions/1/", SINGLE_REVISION),
    (
        "{article}revisions/1/compare/",
        [
            *(("before", "number"), ("after", "number")),
            ("changes", [[("field", "text"), ("before", "text"), ("after", "text")]]),
        ],
    ),
    (
        "/api/v1/blog/redirects/",
        [
            [
                *(("kind", "text"), ("old", "text"), ("new", "text"), ("item", "uuid")),
                *(("article", "uuid"), ("created", "time")),
            ]
        ],
    ),
    (
        "/api/v1/blog/changes/",
        [
            ("changes", [[("kind", "text"), ("uuid", "uuid"), ("action", "text")]]),
            *(("cursor", "cursor"), ("more", "boolean")),
        ],
    ),
    (
        "/api/v1/blog/site/",
        [
            *(("uuid", "uuid"), ("title", "text"), ("description", "text"), ("language", "text")),
            *(("time_zone", "text"), ("url", "text"), ("service_url", "text"), ("logo", "text")),
            *(
                ("icon", "text"),
                ("article_path", "text"),
                ("page_path", "text"),
                ("category_path", "text"),
                ("tag_path", "text"),
            ),
            *(("author_path", "text"), ("preview_url", "text")),
            ("navigation", [[("label", "text"), ("url", "text")]]),
            *(("languages", []), ("built_in", "boolean"), ("mcp", "boolean")),
            *(("created", "time"), ("last_updated", "time")),
        ],
    ),
    (CATEGORIES, [CATEGORY]),
    ("{category}", [*CATEGORY, ("articles", [ARTICLE])]),
    (TAGS, [TAG]),
    ("{tag}", [("uuid", "uuid"), ("name", "text"), ("articles", [ARTICLE])]),
    ("{key}", KEY),
    (
        "/api/v1/auth/me/",
        [
            *(("user", "uuid"), ("username", "text"), ("role", "text")),
            *(("can_publish", "boolean"), ("key", "uuid"), ("scopes", ["text"])),
        ],
    ),
    ("/health/", [("status", "text")]),
    ("/nowhere/", PROBLEM),
    (f"{TAGS}?page=x", [*PROBLEM, ("errors", [("page", ["text"])])]),
]


def shape(value):
    """Return the value with each scalar replaced by the name of its format, and a list by its first item."""
    if isinstance(value, dict):
        return [(name, shape(inner)) for name, inner in value.items()]
    if isinstance(value, list):
        shapes = [shape(inner) for inner in value]
        assert all(one == shapes[0] for one in shapes)
        return shapes[:1]
    if isinstance(value, str):
        return next((name for name, form in FORMATS.items() if re.fullmatch(form, value)), "text")
    return {bool: "boolean", int: "number", type(None): "null"}[type(value)]


@pytest.fixture
def paths(as_admin, as_login, make_article, make_tag, make_category):
    """The paths of one item of each resource."""
    tag, category = make_tag(), make_category(description="d")
    content = '<h2 id="a">A</h2> Words.'
    article = make_article(category=category, tags=(tag,), slug="first", content=content)
    path = f"{ARTICLES}{article.uuid}/"
    as_admin.patch(path, json={"slug": "second"})
    as_login.patch("/api/v1/blog/site/", json={"navigation": [{"label": "About", "url": "/about/"}]})
    expiring = as_admin.post(KEYS, json={"expires": "2999-01-01"}).json
    key = f"{KEYS}{expiring['uuid']}/"
    as_admin.get(TAGS, headers={"X-API-KEY": expiring["public_state"]})
    return {
        "article": path,
        "preview": as_admin.post(f"{path}preview/").json["api_url"],
        "category": f"{CATEGORIES}{category.uuid}/",
        "tag": f"{TAGS}{tag.uuid}/",
        "key": key,
    }


@pytest.mark.parametrize(("path", "expected"), READS, ids=[path for path, _ in READS])
def test_a_get_response_has_the_expected_fields_and_formats(as_admin, paths, path, expected):
    assert shape(as_admin.get(path.format(**paths)).json) == expected


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        (ARTICLES, {"title": "T", "category": {"slug": "category-1"}, "tags": [{"slug": "tag-1"}]}, ARTICLE),
        (CATEGORIES, {"name": "N", "description": "d"}, CATEGORY),
        (TAGS, {"name": "N"}, TAG),
        (KEYS, {}, NEW_KEY),
        ("{key}rotate/", {"overlap_seconds": 1}, NEW_KEY),
        (
            "{article}preview/",
            {},
            [*PREVIEW, ("url", "preview path"), ("api_url", "API path of a preview")],
        ),
        ("{article}revisions/1/restore/", {}, ARTICLE),
        (TAGS, {}, [*PROBLEM, ("errors", [("name", ["text"])])]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_post_response_has_the_expected_fields_and_formats(as_admin, paths, path, body, expected):
    assert shape(as_admin.post(path.format(**paths), json=body).json) == expected


def test_absent_values_are_null(as_admin, as_login, as_reader, make_category, make_article):
    make_category()
    path = f"{ARTICLES}{make_article(status='draft').uuid}/"
    key = as_reader.get("/api/v1/auth/me/").json
    assert (key["user"], key["username"]) == (None, "")
    assert as_login.get("/api/v1/auth/me/").json["key"] is None
    owned = as_admin.get(f"{KEYS}{as_admin.post(KEYS).json['uuid']}/").json
    assert (owned["expires"], owned["last_used"]) == (None, None)
    assert as_admin.get(CATEGORIES).json[0]["description"] is None
    assert as_admin.get(f"{path}?fields=published_at").json == {"published_at": None}


def test_a_login_returns_the_user(app, as_stranger):
    runner = app.test_cli_runner()
    assert runner.invoke(args=["user", "create", "ada"], input="a long phrase\n" * 2).exit_code == 0
    response = as_stranger.post("/api/v1/auth/login/", json={"username": "ada", "password": "a long phrase"})
    assert shape(response.json) == USER
