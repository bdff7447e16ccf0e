"""Comments of generators and vaults, and articles that Hexo encrypts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.format_api.source_files import walk_paths
from blogapi.importing.formats.markdown import reader

COMMENT = "a{% comment %} secret {% endcomment %}b"
REMOVED = "The import left out 1 comment of the generator (`{% comment %}`)."
UNKNOWN = "It has a `{% comment %}`, and its generator is not recognised; the article became a draft."
OPEN_REMOVED = "The import left out the end of the text, from a `%%` that is not closed."
OPEN_STAYS = (
    "The text has a `%%` that is not closed; the text after it is kept, because the file is not in a vault."
)
ENCRYPT = "encrypt:\n  tags:\n    - {name: Diary, password: x}\n    - {name: b, password: y}\n"


@pytest.fixture
def read(tmp_path):
    """Return the record of a file in a site with these other files."""

    def read(body, front="", name="site/blog/post.md", **files):
        text = f"---\ntitle: Hello\ndate: 2020-01-02\n{front}\n---\n{body}"
        for path, content in {name: text, **files.pop("files", {})}.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(content, encoding="utf-8")
        entries = {entry.key: entry for entry in walk_paths([tmp_path / "site"])}
        return reader.read_article(entries[name], ImportOptions(now=datetime(2026, 1, 1, tzinfo=UTC)))

    return read


@pytest.mark.parametrize("configuration", ["_config.yml", ".eleventy.js", "eleventy.config.mjs"])
def test_a_comment_of_liquid_is_left_out(read, configuration):
    record = read(COMMENT, files={f"site/{configuration}": "title: x\n"})
    assert (record.content, record.status, record.notes) == ("ab", "published", (REMOVED,))


@pytest.mark.parametrize("name", ["site/_posts/a.md", "site/blog/2020-01-02-a.md"])
def test_a_comment_is_left_out_of_a_file_with_the_name_of_a_post_of_jekyll(read, name):
    assert read(COMMENT, name=name).content == "ab"


@pytest.mark.parametrize("configuration", ["hugo.toml", "config.toml", "astro.config.mjs", "pelicanconf.py"])
def test_another_generator_shows_the_comment(read, configuration):
    record = read(COMMENT, files={f"site/{configuration}": "title = 'x'\n"})
    assert (record.content, record.status, record.notes) == (COMMENT, "published", ())


def test_a_comment_of_an_unknown_generator_makes_a_draft(read):
    record = read(COMMENT)
    assert (record.content, record.status, record.notes) == (COMMENT, "draft", (UNKNOWN,))


@pytest.mark.parametrize(
    "written",
    [
        "`{% comment %}a{% endcomment %}`",
        "```\n{% comment %}a{% endcomment %}\n```",
        "{% raw %}{% comment %}a{% endcomment %}{% endraw %}",
        "{% comment %} without an end",
        "a comment",
    ],
)
def test_a_comment_in_code_stays(read, written):
    for files in ({}, {"site/_config.yml": "title: x\n"}):
        record = read(written, files=files)
        assert (record.content, record.status, record.notes) == (written, "published", ())


@pytest.mark.parametrize(
    ("front", "files"),
    [
        ("publish: true", {"site/.obsidian/app.json": "{}"}),
        ("", {"site/quartz.config.ts": ""}),
        ("dg-publish: true", {}),
    ],
)
def test_the_text_behind_an_open_comment_of_a_vault_is_left_out(read, front, files):
    record = read("a %%x%% b\n%% secret", front, files=files)
    assert (record.content, record.status) == ("a %%x%% b\n", "published")
    assert OPEN_REMOVED in record.notes


def test_an_open_comment_stays_elsewhere(read):
    record = read("a\n%% b", files={"site/hugo.toml": ""})
    assert (record.content, record.status, record.notes) == ("a\n%% b", "published", (OPEN_STAYS,))


@pytest.mark.parametrize("written", ["100%% and 50%%", "`%%`", "```\n%% a\n```", "%%a%%", "%%a%%b", "%%% a"])
def test_other_percent_signs_stay(read, written):
    record = read(written, files={"site/quartz.config.ts": ""})
    assert (record.content, record.notes) == (written, ())


@pytest.mark.parametrize(
    ("front", "status"),
    [
        ("tags: [a, diary]", "draft"),
        ("tags: [b]", "draft"),
        ("tags: [c]", "published"),
        ("tags: [b]\npassword: ''", "published"),
        ("tags: [b]\npassword: z", "draft"),
    ],
)
def test_an_article_with_a_tag_that_hexo_encrypts_becomes_a_draft(read, front, status):
    record = read("Text", front, "site/source/_posts/a.md", files={"site/_config.yml": ENCRYPT})
    assert record.status == status
    if front.startswith("tags: [a"):
        assert record.notes == ("It has the tag “diary”, which Hexo encrypts; the article became a draft.",)


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ("[b]", "draft"),
        ("\n    - b", "draft"),
        ("[a, {name: b, password: x}]", "draft"),
        ("[{name: b}]", "draft"),
        ("[{name: b, password: ''}, a]", "published"),
    ],
)
def test_the_tags_that_hexo_encrypts_may_be_words(read, tags, status):
    files = {"site/_config.yml": f"encrypt:\n  tags: {tags}\n"}
    assert read("Text", "tags: [b]", "site/source/_posts/a.md", files=files).status == status


@pytest.mark.parametrize(
    "configuration", ["encrypt: x", "encrypt:\n  tags: b", "encrypt: [", "x:\n  encrypt:\n"]
)
def test_another_configuration_encrypts_nothing(read, configuration):
    record = read("Text", "tags: [b]", "site/source/_posts/a.md", files={"site/_config.yml": configuration})
    assert record.status == "published"
