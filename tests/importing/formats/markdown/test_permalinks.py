"""The paths that generators gave articles, computed from their configurations."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_path
from blogapi.importing.formats.markdown.generators import GeneratorSite
from blogapi.importing.formats.markdown.permalinks import AddressParts, compute_addresses
from blogapi.importing.formats.markdown.source import FORMAT

NOW = datetime(2026, 1, 1, tzinfo=UTC)
POST = "---\ntitle: What's new in 1.2?\ndate: 2020-02-03\n---\nText"
FILED = POST.replace("date:", "categories: [Life, Two Words]\ndate:")
SLUG = POST.replace("date:", "slug: my_post-\ndate:")
JEKYLL, HEXO = "_posts/2020-02-03-my_post-.md", "source/_posts/sub/my_post.md"
#: The configuration, the file, its text, and its path in the former blog.
PATHS = [
    ({"_config.yml": "title: A\n"}, JEKYLL, POST, "/2020/02/03/my_post.html"),
    ({"_config.yml": "title: A\n"}, JEKYLL, FILED, "/life/two words/2020/02/03/my_post.html"),
    ({"_config.yml": "permalink: pretty\nbaseurl: /b\n"}, JEKYLL, POST, "/b/2020/02/03/my_post/"),
    ({"_config.yml": "permalink: /blog/:title/\n"}, JEKYLL, SLUG, "/blog/my_post/"),
    ({"_config.yml": "permalink: /:i_month/:slug\n"}, JEKYLL, POST, "/2/my-post"),
    ({"_config.yml": "permalink: none\n"}, JEKYLL, POST, "/my_post.html"),
    ({"_config.yml": "permalink: /x/:title/\n"}, "_posts/2020-02-03-Äpfel & Co.md", POST, "/x/Äpfel-&-Co/"),
    ({"_config.yml": "new_post_name: :title.md\n"}, HEXO, POST, "/2020/02/03/sub/my_post/"),
    ({"_config.yml": "permalink: p/:name/\nroot: /b/\nskip_render:\n"}, HEXO, POST, "/b/p/my_post/"),
    (
        {"_config.yml": "permalink: :category/:post_title.html\nskip_render:\n"},
        HEXO,
        FILED,
        "/Life/Two-Words/What-s-new-in-1-2.html",
    ),
    (
        {"hugo.toml": "baseURL = 'https://a.example/b/'\n[permalinks]\nposts = '/:year/:slug/'\n"},
        "content/posts/my_post.md",
        POST,
        "/b/2020/whats-new-in-1.2/",
    ),
    (
        {"hugo.toml": "[permalinks.page]\nposts = '/:sections/:filename/'\n"},
        "content/posts/in/my_post/index.md",
        POST,
        "/posts/in/my_post/",
    ),
    (
        {"hugo.toml": "[permalinks]\nposts = '/:section/:slugorfilename/'\n"},
        "content/posts/a.md",
        SLUG,
        "/posts/my_post-/",
    ),
    (
        {"pelicanconf.py": "ARTICLE_URL = 'posts/{date:%Y}/{slug}/'\nPATH = 'content'\n"},
        "content/a.md",
        POST,
        "/posts/2020/whats-new-in-12/",
    ),
]


@pytest.fixture
def read(tmp_path):
    """Writes a site, and returns the record of its article and the notes of the source."""

    def read(files):
        for name, text in files.items():
            path = tmp_path / "site" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        entries = [entry for entry in walk_path(tmp_path / "site") if entry.path.suffix == ".md"]
        source = FORMAT.open_source(entries, ImportOptions(now=NOW))
        (record,) = source.read()
        return record, source.notes

    return read


@pytest.mark.parametrize(("site", "file", "text", "path"), PATHS)
def test_the_path_of_the_generator_is_a_former_path(read, site, file, text, path):
    record, notes = read({**site, file: text})
    assert (record.former_paths, record.addresses, notes) == ((path,), (), [])


@pytest.mark.parametrize(
    ("site", "file"),
    [
        ({"_config.yml": "permalink: /:title/:unknown/\n"}, JEKYLL),
        ({"_config.yml": "permalink: :id/:hash/\nskip_render:\n"}, HEXO),
        ({"hugo.toml": "[permalinks]\nposts = '/:other/:slug/'\n"}, "content/posts/a.md"),
        ({"pelicanconf.py": "ARTICLE_URL = '{custom}/{slug}/'\nPATH = 'content'\n"}, "content/a.md"),
    ],
)
def test_a_form_that_cannot_be_computed_gives_one_sentence(read, site, file):
    record, (note,) = read({**site, file: POST})
    assert record.former_paths == ()
    assert "are not kept" in note and "set `article_path` of this site to a similar form" in note


@pytest.mark.parametrize(
    ("site", "file", "text"),
    [
        ({"_config.yml": "title: A\n"}, JEKYLL, POST.replace("date:", "permalink: /own/\ndate:")),
        ({"_config.yml": "title: A\n"}, "about.md", POST),
        ({"hugo.toml": "title = 'A'\n"}, "content/posts/a.md", POST),
        ({"zola.toml": "base_url = 'x'\n"}, "content/a.md", POST),
        ({}, JEKYLL, POST),
    ],
)
def test_other_files_get_no_computed_path(read, site, file, text):
    record, notes = read({**site, file: text})
    assert (record.former_paths, notes) == (("/own/",) if "own" in text else (), [])


class WindowsTime(datetime):
    """A time whose `strftime` refuses what Windows refuses."""

    def strftime(self, form):
        if re.search(r"%(?![a-zA-Z%])|%Q", form):
            raise ValueError("Invalid format string")
        return super().strftime(form)


@pytest.mark.parametrize(
    ("form", "paths"),
    [
        ("posts/{date:%Y}/{date:%-d}-{date:%-m}/{slug}/", ("/posts/2020/3-2/a/",)),
        ("{date:%-d%-H}/{slug}/", ("/30/a/",)),
        ("{date:%Q}/{slug}/", ()),
    ],
)
def test_a_date_without_zeros_is_in_the_address_on_windows_too(tmp_path, form, paths):
    site = GeneratorSite(tmp_path, "pelican", "pelicanconf.py", {}, f"ARTICLE_URL = '{form}'")
    time = WindowsTime(2020, 2, 3, tzinfo=UTC)
    parts = AddressParts(name="a", slug="a", title="A", categories=(), time=time)
    assert compute_addresses(site, tmp_path / "a.md", parts) == paths
