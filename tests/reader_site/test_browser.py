"""The pages of the site in Chromium, and their HTML: axe finds nothing, and the HTML is valid."""

from __future__ import annotations

import io

import html5lib
import pytest

from blogapi.operations.demo import seed
from tests.admin.blogs import serve_blog
from tests.admin.browsing import list_violations
from tests.browser import PageOpener, is_wider_than_the_window, launch_browser, list_contrasts
from tests.reader_site.conftest import BROWSER
from tests.reader_site.crawling import crawl

pytestmark = pytest.mark.once

# A page of each kind of the sample blog; those without an address of their own have none that leads to them.
PAGES = {
    "home": "/",
    "article": "/the-bread-that-waits-for-me/",
    "page": "/about/",
    "long word": "/long/",
    "markdown": "/markdown/",
    "neighbour of a long word": "/a-winter-with-a-cracked-dinghy/",
    "archive": "/archive/",
    "month": "/archive/2024/06/",
    "search": "/search/?q=bread",
    "missing": "/no/such/page/",
    "category": "/category/kitchen/",
    "author": "/author/demo/",
}
MINIMUM_CONTRAST = 4.5
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung"

# A picture and a gallery of WordPress 5.
CENTERED = '<img class="aligncenter" src="/media/b.png" alt="Elm" width="100" height="50">'
GALLERY_ITEM = '<li class="blocks-gallery-item"><figure><img src="/media/a.png" alt="Oak"></figure></li>'
GALLERY = f'<figure class="wp-block-gallery"><ul class="blocks-gallery-grid">{GALLERY_ITEM * 2}</ul></figure>'
# What Markdown can contain, except players, which would load pages of other hosts.
MARKDOWN = """
Text with **weight**, ~~mistakes~~, `code`, $x_1$, a note[^1], <kbd>K</kbd> and https://example.org.

[^1]: A note with a [link](https://example.org/a "title").

## Lists {#lists}

- [ ] milk

  for the porridge
- [x] bread
  - [ ] rye

1. one

## Blocks

> [!NOTE]
> Useful.

> A quotation

| a | b |
|---|--:|
| 1 | WIDE |

```python
print("WIDE")
```

![A boat](/media/boat.png "Its caption")

![A boat](/media/boat.png) ![A bell](/media/bell.png)

***

<details><summary>More</summary>

Text

</details>
WORDPRESS
""".replace("WIDE", "wide " * 40).replace("WORDPRESS", f"{CENTERED}\n\n{GALLERY}")
# The slug, the title and the text of further articles, which are older than those of the sample blog.
TEXTS = [("markdown", "Markdown", MARKDOWN), ("long", LONG_WORD, LONG_WORD)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The served sample blog."""
    with serve_blog(tmp_path_factory.mktemp("demo") / "instance", SEARCH_LIMIT="10000 per minute") as blog:
        with blog.app.app_context():
            assert seed.fill_empty_blog(blog.origin) > 0
        for number, (slug, title, content) in enumerate(TEXTS):
            fields = {"slug": slug, "title": title, "content": content, "content_type": "markdown"}
            old = {"status": "published", "published_at": f"200{number}-01-01T12:00:00Z"}
            blog.client("demo").post("blog/articles/", fields | old)
        yield blog


@pytest.fixture(scope="module")
def browser():
    """The browser of this module."""
    with launch_browser() as running:
        yield running


@pytest.fixture
def open_page(browser, demo):
    """A function that opens a path in Chromium; the test fails if a page has a fault."""
    opener = PageOpener(browser, demo.origin)
    yield opener
    opener.close()
    assert [fault for fault in opener.faults if "404 (" not in fault] == []


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", PAGES)
def test_everybody_can_read_a_page(open_page, name, dark, width):
    """axe finds nothing, nothing is wider than the window, and every text has enough contrast."""
    page = open_page(PAGES[name], width=width, dark=dark)
    assert page.locator("h1").count() == 1
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    assert [pair for pair in list_contrasts(page) if pair[0] < MINIMUM_CONTRAST] == []


@pytest.mark.parametrize("width", [320, 768])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_wider_than_the_window(open_page, name, width):
    assert not is_wider_than_the_window(open_page(PAGES[name], width=width))


def test_the_blocks_of_a_task_begin_below_its_first_word(open_page):
    places = open_page("/markdown/").evaluate("""() => {
      const [milk] = document.querySelectorAll(".text li");
      const range = document.createRange();
      range.selectNodeContents(milk.querySelector("p").lastChild);
      range.setStart(range.startContainer, range.toString().search(/\\S/));
      const below = milk.querySelectorAll("p")[1];
      return [range.getBoundingClientRect().left, below.getBoundingClientRect().left];
    }""")
    assert abs(places[0] - places[1]) < 2


def test_the_pictures_of_a_gallery_of_wordpress_stand_side_by_side(open_page):
    first, second = open_page("/markdown/").locator(".blocks-gallery-item").all()
    assert first.bounding_box()["y"] == second.bounding_box()["y"]
    assert first.bounding_box()["x"] < second.bounding_box()["x"]
    assert first.evaluate("item => getComputedStyle(item).listStyleType") == "none"


def test_a_centered_picture_of_wordpress_is_in_the_middle(open_page):
    page = open_page("/markdown/")
    boxes = [page.locator(one).bounding_box() for one in (".text", "img.aligncenter")]
    text, picture = (box["x"] + box["width"] / 2 for box in boxes)
    assert abs(text - picture) < 1


def test_on_a_phone_each_title_is_directly_below_its_date(open_page):
    gaps = open_page("/no/such/page/", width=390).evaluate("""() =>
      [...document.querySelectorAll(".entry")].map((entry) =>
        entry.querySelector("h2").getBoundingClientRect().top
        - entry.querySelector("time").getBoundingClientRect().bottom)""")
    assert len(gaps) == 3 and max(gaps) < 8, gaps


@pytest.mark.slow
def test_the_html_of_every_page_is_valid(demo):
    client = demo.app.test_client()
    found = crawl(
        lambda path: client.get(path, headers=BROWSER), also=tuple(PAGES.values()), site_url=demo.origin
    )
    pages = {path: response.data for path, response in found.items() if response.mimetype == "text/html"}
    assert len(pages) > 30
    assert {path: faults for path, html in pages.items() if (faults := list_faults(html))} == {}


def list_faults(html):
    """Return the faults that the HTML standard's parser reports."""
    parser = html5lib.HTMLParser()
    parser.parse(io.BytesIO(html))
    return [f"{place}: {code} {values}" for place, code, values in parser.errors]
