"""A blog with one of everything, for `whole_blogs`."""

from __future__ import annotations

from typing import Any, Protocol
from uuid import UUID

from sqlalchemy import Uuid, bindparam, create_engine, text

from tests.contracts.read_requests import API
from tests.pictures import make_picture

FIELDS: tuple[dict[str, Any], ...] = (
    {"name": "note", "type": "text", "searched": True},
    {"name": "story", "type": "long_text"},
    {"name": "rating", "type": "number", "minimum": 0, "maximum": 10, "kinds": ["article", "page"]},
    {"name": "baked", "type": "boolean"},
    {"name": "walked_on", "type": "date"},
    {"name": "source", "type": "url"},
    {"name": "mood", "type": "choice", "list": True, "choices": ["calm", "glad: # x"]},
    {"name": "photo", "type": "picture"},
    {"name": "sequel", "type": "article"},
    {"name": "secret", "type": "text", "read_by": "admins"},
)
MARKDOWN = """# Bread

Rye[^1] and **oat**, in [another article](article:{other}#top).

![A loaf](media:{picture} "Fresh")

![one](media:{picture}) ![two](media:{drawing})

https://youtu.be/dQw4w9WgXcQ

https://vimeo.com/76979871

| a | b |
|---|---|
| 1 | `c++` |

## Bread

- [ ] milk

> [!NOTE]
> $x_1$

<details><summary>More</summary>words</details>

[^1]: A note.
"""
HTML = """<h1>Rye &amp; oat</h1><h2 id="x">x</h2><p align="center" onclick="x()">
It's <b>bread</b> "quoted"</p>
<script>alert(1)</script><p hidden>not seen</p><img src="media:{picture}"><img src="/media/none/x.png">
<iframe src="https://www.youtube.com/embed/dQw4w9WgXcQ"></iframe><iframe src="https://x.example/"></iframe>
<a href="javascript:x()">unsafe</a> <a href="article:{other}">other</a> <a href="article:{draft}">draft</a>"""
LONG = "".join(f"<h2>Part {number}</h2><p>{'rye bread, ' * 300}</p>\n" for number in range(60))
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>'


class Send(Protocol):
    """Sends a request; returns the JSON of its response."""

    def __call__(
        self, method: str, path: str, body: Any = None, caller: str = "write", **headers: str
    ) -> Any: ...


def fill(send: Send) -> dict[str, list[str]]:
    """Fill an empty blog; return by kind what no list of it shows.

    `deleted` has the uuids of deleted and merged items, `previews` the addresses of previews, and
    `without_seo` the articles for `delete_seo`. The caller `login` of `send` must be an admin.
    """
    terms = _create_terms(send)
    for position, field in enumerate(FIELDS):
        body = {"label": f"The {field['name']}", "position": position} | field
        send("POST", f"{API}fields/", body, caller="login")
    media = _upload(send)
    articles = _create_articles(send, terms, media)
    pages = _create_pages(send, media)
    _change(send, articles, pages)
    hidden = {"deleted": [], "previews": [], "without_seo": [articles["no seo"]]}
    for path in (
        *(f"{API}articles/{articles[name]}/" for name in ("markdown", "draft", "scheduled", "archived")),
        f"{API}pages/{pages['team']}/",
    ):
        preview = send("POST", f"{path}preview/", {"expires_in": 600_000})
        for name in ("url", "api_url"):
            hidden["previews"].append(preview[name].removeprefix("https://api.blog.example"))
    for name in ("deleted", "deleted draft"):
        send("DELETE", f"{API}articles/{articles[name]}/")
        hidden["deleted"].append(articles[name])
    send("DELETE", f"{API}articles/{articles['restored']}/")
    send("POST", f"{API}articles/{articles['restored']}/restore/")
    send("DELETE", f"{API}tags/{terms['spelt']}/")
    send("POST", f"{API}tags/{terms['rye']}/merge/", {"uuids": [terms["roggen"]]})
    hidden["deleted"] += [terms["spelt"], terms["roggen"]]
    # The values of these articles do not fit any more.
    definitions = {field["name"]: field["uuid"] for field in send("GET", f"{API}fields/", caller="login")}
    send("PATCH", f"{API}fields/{definitions['rating']}/", {"maximum": 6}, caller="login")
    send("PATCH", f"{API}fields/{definitions['source']}/", {"type": "number"}, caller="login")
    send("DELETE", f"{API}fields/{definitions['story']}/", caller="login")
    for path, target, status in (
        ("/old/", "/new/", 301),
        ("/gone/", "", 410),
        ("/a b/é/", "https://x.example/?a=1", 302),
    ):
        send("POST", f"{API}redirects/own/", {"path": path, "target": target, "status": status})
    return hidden


def _create_terms(send: Send) -> dict[str, str]:
    terms = {}
    for kind, name, fields in (
        ("categories", "Kitchen", {"description": 'What\'s "cooked"', "seo_title": "Cooking <now>"}),
        ("categories", "Oven", {"parent": "kitchen", "cover_image": "https://x.example/c.png"}),
        ("categories", "Empty", {"language": "de"}),
        ("tags", "rye", {"description": "A grain", "canonical_url": "https://x.example/rye"}),
        ("tags", "C++", {}),
        ("tags", "roggen", {}),
        ("tags", "spelt", {}),
        ("tags", "東京 🍞", {"og_image": "https://x.example/o.png"}),
        ("authors", "Jo Guest", {"bio": "Bakes.\nWalks.", "url": "https://jo.example"}),
        ("authors", "Nobody Yet", {"seo_description": "No articles"}),
    ):
        terms[name] = send("POST", f"{API}{kind}/", {"name": name} | fields)["uuid"]
    send("PATCH", f"{API}tags/{terms['C++']}/", {"slug": "cpp"})
    return terms


def _upload(send: Send) -> dict[str, str]:
    media = {}
    for name, kind, content in (
        ("bread.png", "image/png", make_picture("brown", size=(900, 600))),
        ("small.png", "image/png", make_picture("green")),
        ("drawing.svg", "image/svg+xml", SVG),
    ):
        path = f"{API}media/?name={name}&alt=A+%22picture%22&caption=Of+{name}"
        media[name] = send("POST", path, content, **{"Content-Type": kind})["uuid"]
    return media


def _create_articles(send: Send, terms: dict[str, str], media: dict[str, str]) -> dict[str, str]:
    """Create the articles; return their uuids by name."""
    articles: dict[str, str] = {}
    custom = {
        **{"note": "a text", "story": "long\nstory", "rating": 5, "baked": True, "walked_on": "2026-01-31"},
        **{"source": "https://x.example/s", "mood": ["calm", "glad: # x"], "secret": "for admins"},
        "photo": f"media:{media['small.png']}",
    }
    seo = {"title": "For “robots”", "description": "Told <to> robots", "canonical_url": "https://x.example/c"}
    picture = f"media:{media['bread.png']}"
    all_authors = ["ada", "jo-guest", "mel"]
    for name, fields in (
        ("plain", {"content": "<p>Rye</p>", "tags": ["rye"]}),
        ("draft", {"content": "Rye unseen", "status": "draft", "published_at": None}),
        (
            "text",
            {"content": "Rye bread;\n\n 'quoted' -- <not> HTML https://x.example/", "content_type": "text"},
        ),
        (
            "markdown",
            {"content": MARKDOWN, "content_type": "markdown", "cover_image": picture, "custom": custom},
        ),
        (
            "html",
            {"content": HTML, "seo": seo, "authors": all_authors, "tags": ["rye", "cpp"], "featured": True},
        ),
        ("empty", {"content": "", "subtitle": "", "excerpt": ""}),
        ("long", {"content": LONG, "tags": ["roggen", "spelt"], "excerpt": "Written & short"}),
        (
            "title",
            {
                "title": "\"Quoted\" 'title' <b> & 🍞 𐐷 東京 C++",
                "subtitle": "\u2028Ωmega\tcafé",
                "content": "𐐷",
            },
        ),
        ("thai", {"title": "ขนมปัง", "content": "<p>ขนมปังข้าวไรย์</p>", "language": "th"}),
        ("rye", {"title": "Rye bread", "translation_key": "rye", "content": "Rye", "custom": {"rating": 9}}),
        (
            "rye de",
            {"title": "Roggenbrot", "translation_key": "rye", "language": "de", "slug": "rye-bread-de"},
        ),
        ("rye fr", {"title": "Pain", "translation_key": "rye", "language": "fr", "robots": "noindex"}),
        ("unlisted", {"status": "unlisted", "content": "Rye aside", "robots": "noindex, nofollow"}),
        ("scheduled", {"published_at": "2999-01-01T00:00:00Z", "content": "Rye ahead"}),
        ("archived", {"status": "archived", "content": "Rye put away"}),
        ("no seo", {"content": "<p>Without SEO</p>", "subtitle": "Second"}),
        (
            "deleted",
            {"content": MARKDOWN, "content_type": "markdown", "seo": seo, "custom": {"note": "kept"}},
        ),
        ("deleted draft", {"content": "Gone", "status": "draft", "published_at": None, "seo": seo}),
        ("restored", {"content": "<p>Back</p>", "seo": seo, "tags": ["東京"]}),
        ("scheduled edits", {"published_at": "2999-02-01T00:00:00Z", "content": "Rye later"}),
    ):
        number = len(articles)
        places = {"other": articles.get("plain"), "draft": articles.get("draft")}
        places |= {"picture": media["bread.png"], "drawing": media["drawing.svg"]}
        body = {
            "title": name.capitalize(),
            "status": "published",
            "category": ("kitchen", "oven")[number % 2],
        }
        body |= {"published_at": f"20{10 + number}-03-0{1 + number % 9}T04:05:06.{number:06}Z"} | fields
        for place, uuid in places.items():
            body["content"] = body.get("content", "").replace(f"{{{place}}}", str(uuid))
        caller = "author_write" if name == "plain" else "write"
        if name == "plain":
            body["status"] = "draft"
        articles[name] = send("POST", f"{API}articles/", body, caller=caller)["uuid"]
    send("PATCH", f"{API}articles/{articles['plain']}/", {"status": "published"})
    return articles


def _create_pages(send: Send, media: dict[str, str]) -> dict[str, str]:
    pages = {}
    for name, fields in (
        ("about", {"position": 3, "content": "# About", "content_type": "markdown"}),
        ("team", {"parent": "about", "position": 2, "cover_image": f"media:{media['bread.png']}"}),
        ("history", {"parent": "team", "status": "draft"}),
        ("years", {"parent": "history", "content": "<p>Rye since 1900</p>", "custom": {"rating": 3}}),
        ("imprint", {"position": 1, "status": "unlisted", "language": "de"}),
        ("deleted page", {"parent": "about"}),
    ):
        body = {"title": name.title(), "status": "published", "published_at": "2011-01-01T00:00:00Z"} | fields
        pages[name] = send("POST", f"{API}pages/", body)["uuid"]
    send("DELETE", f"{API}pages/{pages['deleted page']}/")
    return pages


def _change(send: Send, articles: dict[str, str], pages: dict[str, str]) -> None:
    """Make former versions, former slugs and working copies."""
    paths = {name: f"{API}articles/{uuid}/" for name, uuid in articles.items()}
    send("PATCH", paths["html"], {"slug": "html-again", "seo": {"description": "Second"}})
    send("PATCH", paths["html"], {"subtitle": "Third", "excerpt": "An excerpt\nof two lines"})
    send("POST", f"{paths['html']}revisions/1/restore/")
    send("POST", f"{paths['html']}revisions/", {"name": "Named", "title": "A version aside"})
    send("PATCH", paths["markdown"], {"custom": {"sequel": articles["draft"], "rating": 8}})
    send("PATCH", paths["title"], {"category": {"slug": "empty"}, "cover_image": "https://x.example/c.png"})
    edits = {"title": "Edited “title” 🍞", "content": "<p>Edited rye</p>", "subtitle": "E", "tags": ["cpp"]}
    for name in ("markdown", "draft", "archived", "scheduled edits", "deleted", "restored"):
        body = send("GET", f"{paths[name]}?fields=*,excerpt,custom", caller="write") | edits
        send("PUT", f"{paths[name]}working-copy/", body | {"seo": {"title": "Edited SEO"}})
    page = f"{API}pages/{pages['team']}/"
    send("PATCH", page, {"slug": "the-team"})
    send("PUT", f"{page}working-copy/", {"title": "Edited team", "content": "Edited", "content_type": "text"})


def delete_seo(url: str, hidden: dict[str, list[str]]) -> None:
    """Delete the SEO records of the articles `without_seo` from a database that is not open."""
    engine = create_engine(url)
    statement = text("DELETE FROM seo WHERE article_id = :uuid").bindparams(bindparam("uuid", type_=Uuid()))
    with engine.begin() as connection:
        for uuid in hidden["without_seo"]:
            assert connection.execute(statement, {"uuid": UUID(uuid)}).rowcount == 1
    engine.dispose()
