"""References to files in addresses and in sanitised HTML."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.content.media import file_references, html_resolver
from blogapi.content.media.file_references import (
    ArticleHtml,
    ReferencedFile,
    ReferencedFiles,
    find_referenced_files,
    normalize_address,
)
from blogapi.content.media.html_resolver import HtmlResolver
from blogapi.rendering import sanitizer
from blogapi.site import service as site_service
from tests.content.media.pictures import add_picture, make_hash

UUID_1 = UUID("3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d")
FOLDER = f"/media/{make_hash('a')}/"
PATH = f"{FOLDER}a&b.jpg"
SMALL = f"{FOLDER}w400.webp"
SERVICE = "https://api.blog.example"
FORMER = {make_hash("b"): None, make_hash("s"): 400, make_hash("l"): 1600}
FILE = ReferencedFile(UUID_1, PATH, 900, 600, '"<b>', "", False, is_scalable=True, former=FORMER)
FILES = ReferencedFiles({UUID_1: FILE}, dict.fromkeys([make_hash("a"), *FORMER], FILE), {})


@pytest.fixture(autouse=True)
def service_url(monkeypatch):
    """The address of the service."""
    monkeypatch.setattr(html_resolver, "get_service_url", lambda: SERVICE)


def resolve(html, files=FILES):
    return HtmlResolver(uuid4(), files).resolve_html(html)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (f"media:{UUID_1}", PATH),
        (f"{SERVICE}{PATH}", PATH),
        (PATH, PATH),
        (SMALL, SMALL),
        # The widths of a replaced file, and the renditions that a former version has stored.
        (f"/media/{make_hash('b')}/w400.webp", SMALL),
        (f"/media/{make_hash('b')}/w640.avif#a", f"{FOLDER}w640.avif#a"),
        (f"/media/{make_hash('b')}/w640.png", PATH),
        (f"/media/{make_hash('b')}/w1200.webp", PATH),
        (f"/media/{make_hash('b')}/a.png", PATH),
        (f"/media/{make_hash('s')}/a-400.webp", SMALL),
        (f"/media/{make_hash('l')}/a-1600.webp", PATH),
        (f"{PATH}?a=1#b", f"{PATH}?a=1#b"),
        (f"https://other.example{PATH}", PATH),
        (f"{SERVICE}/x{PATH}", PATH),
        (f"https://archive.example/{SERVICE}{PATH}", None),
        (f"https://archive.example/?{PATH}", None),
        (f"/x{PATH}", None),
        (f"/media/{make_hash('c')}/a.jpg", None),
        (f"/media/{make_hash('a')}/", None),
        (f"//api.blog.example{PATH}", None),
    ],
)
def test_a_link_gets_the_address_of_the_file(address, shown):
    html = sanitizer.to_safe_html(f'<a href="{address}">a</a>', "html")
    expected = html if shown is None else f'<a href="{SERVICE}{shown.replace("&", "&amp;")}">a</a>'
    assert resolve(html) == expected


def test_the_values_of_the_library_are_escaped():
    html = resolve(sanitizer.to_safe_html(f"![]({PATH})", "markdown"))
    path, folder = PATH.replace("&", "&amp;"), f"{SERVICE}{PATH.rpartition('/')[0]}"
    widths = ", ".join(f"{folder}/w{width}.webp {width}w" for width in (400, 640, 800))
    assert html == (
        f'<p><img src="{SERVICE}{path}" srcset="{widths}, {SERVICE}{path} 900w" '
        'sizes="(max-width: 800px) 100vw, 800px" '
        'width="900" height="600" alt="&quot;&lt;b&gt;" loading="lazy"></p>\n'
    )
    # Sanitising the result again changes nothing.
    shown = html
    assert sanitizer.to_safe_html(shown, "html") == shown


@pytest.mark.parametrize(
    ("width", "sizes"),
    [
        ("300", "300"),
        *((text, "800") for text in ("0", "", "50%", "-5", "9" * 5000, "٣", "1e3", "100000")),
    ],
)
def test_a_width_of_the_author_limits_the_sizes(width, sizes):
    html = resolve(f'<img src="{PATH.replace("&", "&amp;")}" width="{width}">')
    assert f'sizes="(max-width: {sizes}px) 100vw, {sizes}px"' in html and f'width="{width}"' in html


def test_only_a_limited_number_of_pictures_has_several_sizes(monkeypatch):
    monkeypatch.setattr(html_resolver, "MAX_SRCSETS", 2)
    html = resolve(f'<img src="media:{UUID_1}">' * 3)
    assert (html.count("srcset="), html.count("width=")) == (2, 3)


ATTRIBUTES = st.sampled_from(
    ["src", "href", "poster", "srcset", "cite", "alt", "title", "width", "loading", "x"]
)
VALUES = st.one_of(
    st.sampled_from(
        [f"media:{UUID_1}", f"MEDIA:{UUID_1}", "media:", "me&#9;dia:x", f"&#1;media:{UUID_1}", PATH, SMALL]
    ),
    st.text(alphabet="media:/<>&\"', \t0aé", max_size=30),
)
ELEMENTS = st.builds(
    lambda name, attributes: f"<{name} " + " ".join(f"{key}='{value}'" for key, value in attributes) + ">",
    st.sampled_from(["img", "a", "video", "audio", "source", "track", "blockquote", "p", "iframe"]),
    st.lists(st.tuples(ATTRIBUTES, VALUES), max_size=4),
)


@given(elements=st.lists(st.one_of(ELEMENTS, VALUES), max_size=5))
def test_resolved_html_is_sanitised_and_contains_no_unresolved_address(elements):
    for files in (FILES, file_references.NO_FILES):
        safe = sanitizer.to_safe_html("".join(elements), "html")
        shown = HtmlResolver(uuid4(), files).resolve_html(safe)
        # A link to an unknown file has no address; the sanitizer removes its tags.
        assert sanitizer.to_safe_html(shown, "html") == sanitizer._unwrap_refused_links(shown)
        for address in file_references._list_addresses(shown):
            assert not address.strip().lower().startswith("media:")


def test_addresses_of_fields_are_normalised(app, people):
    picture = add_picture(app)
    with app.app_context():
        site_service.change_site({"service_url": SERVICE})
        assert normalize_address(picture.reference.upper().replace("MEDIA", "media")) == picture.path
        assert normalize_address(f"{SERVICE}{picture.path}") == picture.path
        assert normalize_address(f"https://former.example{picture.path}") == picture.path
        deleted = f"/media/{make_hash('x')}/a.jpg"
        assert normalize_address(f"{SERVICE}{deleted}") == deleted
        assert normalize_address(f"media:{UUID_1}") is None
        for address in (
            "",
            "a.png",
            picture.path,
            f"{SERVICE}{picture.path}?a",
            f"https://a.example/media/{make_hash('x')}/a.jpg",
        ):
            assert normalize_address(address) == address


def test_texts_without_references_execute_no_statement(app, record_statements):
    html = (
        '<p>media: /media/ <a href="/about/">a</a> <img src="https://a.example/a.png"> <a href="#a.pdf"></a>'
    )
    with app.app_context(), record_statements() as statements:
        assert find_referenced_files([ArticleHtml(uuid4(), html, ("", "a.png"))]).is_empty()
    assert statements == []


def test_many_references_are_found_in_few_statements(app, people, record_statements):
    pictures = [add_picture(app) for _ in range(3)]
    one, two, three = pictures
    unknown = [f"media:{uuid4()}" for _ in range(800)]
    html = "".join(
        f'<img src="{address}">' for address in (*unknown, one.reference, two.path, three.renditions[0])
    )
    with app.app_context(), record_statements() as statements:
        files = find_referenced_files([ArticleHtml(uuid4(), html, (one.path,))])
    assert files.by_uuid.keys() == {picture.uuid for picture in pictures}
    assert all(len(file.renditions) == 2 for file in files.by_uuid.values())
    assert len(statements) == 2
