"""Articles that are private in the source become drafts."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from blogapi.importing.format_api import privacy_signs
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader, site_rules
from blogapi.importing.refusals import NotAnArticle
from tests.importing.guesses import mark_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read_text(text, key="blog/a.md", *, is_note=False, **options):
    place = reader.FileContext(is_note=is_note)
    return mark_all(reader.parse_article(key, text.encode(), ImportOptions(now=NOW, **options), place))


def read(front, key="blog/a.md"):
    return read_text(f"---\ntitle: Hello\ndate: 2020-01-02\n{front}\n---\nText", key)


@pytest.mark.parametrize(
    "front",
    [
        # Jekyll
        "published: false",
        "published: 'False'",
        "published: no",
        "published:",
        # Hugo
        "draft: true",
        "Draft: TRUE",
        "build: {render: never}",
        "build: {render: link}",
        "build: {render: false}",
        "_build: {render: never}",
        "build.render: never",
        "params: {private: true}",
        "params: {draft: true}",
        # Hexo, hexo-hide-posts, hexo-blog-encrypt
        "hidden: true",
        "hide: true",
        "secret: true",
        "password: mellon",
        "password: 0",
        "password: no",
        "password: [a, b]",
        # Zola
        "render: false",
        "extra: {hidden: true}",
        # content systems
        "deleted: true",
        "enabled: false",
        "state: Draft",
        "type: draft",
        # Eleventy
        "permalink: false",
        "permalink: False",
        "eleventyExcludeFromCollections: true",
        # Astro
        "isDraft: true",
        "is_draft: yes",
        "is-draft: on",
        # Pelican
        "Status: draft",
        "status: Hidden",
        "status: skip",
        # Nikola
        "status: private",
        "tags: draft",
        "tags: [bread, Private]",
        # Obsidian, Quartz, digital gardens
        "publish: false",
        "publish:",
        "dg-publish: false",
        "private: true",
        "private: '1'",
        # Metalsmith, Docusaurus, Ghost, Grav, Hashnode, Medium
        "publish: draft",
        "visibility: private",
        "visibility: members",
        "visibility: paid",
        "access: members",
        "public: false",
        "visible: 'no'",
        "members_only: true",
        "protected: true",
        "routable: false",
        "saveAsDraft: true",
        "post-status: draft",
        # One of the two fields makes the article private.
        "draft: false\nDraft: true",
        "private: false\nisPrivate: true",
        "status: published\nprivate: true",
        "status: archived\nprivate: true",
    ],
)
def test_an_article_with_a_private_value_becomes_a_draft(front):
    record = read(front)
    assert record.status == "draft"
    assert not any("not understood" in note for note in record.notes)


@pytest.mark.parametrize(
    "front",
    [
        "build: {list: never}",
        "build: {list: local}",
        "_build: {list: false}",
        "extra: {unlisted: true}",
        "unlisted: true",
        "listed: false",
        "publish: unlisted",
        "Visibility: Unlisted",
        "publishStatus: unlisted",
        "listed: false\nbuild: {list: never}",
    ],
)
def test_an_article_that_is_only_kept_out_of_lists_becomes_unlisted(front):
    record = read(front)
    assert record.status == "unlisted"
    assert not any("draft" in note or "build" in note for note in record.notes)
    for more in ("private: true", "draft: true"):
        assert read(f"{front}\n{more}").status == "draft"
    assert read(f"{front}\ndate: soon").status == "draft"


@pytest.mark.parametrize(
    "name", sorted(name for name, rule in privacy_signs.FIELD_RULES.items() if not rule.others_are_public)
)
def test_an_article_with_an_unknown_value_becomes_a_draft_with_a_note(name):
    outer, _, inner = name.partition(".")
    record = read(f"{outer}: {{{inner}: perhaps}}" if inner else f"{name}: perhaps")
    assert record.status == "draft"
    notes = " ".join(record.notes)
    assert name in notes
    assert ("perhaps" in notes) != privacy_signs.FIELD_RULES[name].is_secret


@pytest.mark.parametrize("value", ["{a: b}", "[a]", "3.5", "2020-13-45"])
@pytest.mark.parametrize(
    "name", ["draft", "private", "published", "status", "visibility", "eleventyExcludeFromCollections"]
)
def test_an_article_with_a_value_of_the_wrong_type_becomes_a_draft(name, value):
    assert read(f"{name}: {value}").status == "draft"


@pytest.mark.parametrize(
    "front",
    [
        "draft: false",
        "draft: 'no'",
        "draft:",
        "private: 0",
        "hidden:",
        "hide: [navigation, toc]",
        "published: true",
        "published: 2019-05-01",
        "publish: 2019-05-01",
        "publish: 'yes'",
        "public: true",
        "status: published",
        "status: featured",
        "status:",
        "visibility: public",
        "access: all",
        "password: ''",
        "password:",
        "password: false",
        "permalink: /2020/a/",
        "active: home",
        "enabled: true",
        "type: posts",
        "permalink:",
        "build: {render: always, list: true}",
        "_build: {publishResources: false}",
        "cover: {hidden: true}",
        "sitemap: false",
        "comments: false",
        "tags: [drafting, privacy]",
        "params: {featured: true}",
    ],
)
def test_an_article_with_a_public_value_is_published(front):
    assert read(front).status == "published"


@pytest.mark.parametrize("front", ["draft: true", "isDraft: yes", "published: false", "status: draft"])
def test_an_article_marked_as_a_draft_in_its_file_gets_no_note(front):
    assert read(front).notes == ()


def test_a_note_names_each_reason_but_never_a_password():
    assert read("hidden: true\nparams: {hidden: true}").notes[:2] == (
        "It has `hidden: true`; the article became a draft.",
        "It has `params.hidden: true`; the article became a draft.",
    )
    assert read("visibility: [friends, '-']").notes[0].startswith("The value “friends, -” of `visibility`")
    record = read("password: mellon")
    assert "It has a `password`; the article became a draft." in record.notes
    assert "mellon" not in repr(record)


@pytest.mark.parametrize("language", ["toml", "json"])
def test_nested_fields_are_found_in_toml_and_json(language):
    front = {"title": "Hello", "date": "2020-01-02", "build": {"render": "never"}}
    if language == "json":
        text = f"{json.dumps(front)}\nText"
    else:
        text = "+++\ntitle='Hello'\ndate=2020-01-02\n[build]\nrender='never'\n+++\nText"
    assert read_text(text).status == "draft"
    assert read_text(text.replace("never", "always")).status == "published"


def test_booleans_and_dates_of_toml_are_parsed():
    text = "+++\ntitle='Hello'\ndate=2020-01-02\n{}\n+++\nText"
    assert read_text(text.format("private=true")).status == "draft"
    assert read_text(text.format("render=false")).status == "draft"
    assert read_text(text.format("published=2019-01-01")).status == "published"


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (
            "<!--\n.. title: Hello\n.. date: 2020-01-02 10:00:00 UTC-03:30\n.. status: {}\n-->\nText",
            "published",
        ),
        (".. title: Hello\n.. date: 2020-01-02\n.. status: {}\n\nText", "featured"),
        ("Title: Hello\nDate: 2020-01-02\nStatus: {}\n\nText", "published"),
    ],
)
def test_headers_of_nikola_and_pelican_are_parsed(header, status):
    record = read_text(header.format(status))
    assert (record.title, record.status, record.content) == ("Hello", "published", "Text")
    assert record.published_at.date().isoformat() == "2020-01-02"
    assert read_text(header.format("private")).status == "draft"


@pytest.mark.parametrize("text", [".. figure:: a.png\n\nText", ".. _target: https://example.org\n\nText"])
def test_restructured_text_directives_are_not_parsed_as_a_header(text):
    assert read_text(text).content == text


@pytest.mark.parametrize(
    "text",
    [
        "Status: draft\n\nText",
        "draft: true\n---\nText",
        '---json\n{"draft": true}\n---\nText',
        '"title": "Hello",\n"draft": true\n;;;\nText',
        "<!--\ndraft: true\n-->\nText",
        "public:: false\n\nText",
        "Title: Hello\nStatus: draft\nAn odd line\n\nText",
        "# Hello\n\npassword: mellon",
    ],
)
def test_an_article_with_a_private_field_in_an_unparsed_header_becomes_a_draft(text):
    assert read_text(text, "blog/2020-01-02-a.md").status == "draft"


@pytest.mark.parametrize("text", ["Text", "Status: fine\n\nText", "draft: false\n\nText", "Note: hidden: x"])
def test_a_file_with_a_date_in_its_name_is_published(text):
    assert read_text(text, "blog/2020-01-02-a.md").status == "published"


@pytest.mark.parametrize(
    "key",
    [
        "blog/drafts/a.md",
        "blog/_drafts/a.md",
        "blog/Drafts/2020/2020-01-02-a.md",
        "drafts/a.md",
        "blog/draft/a/index.md",
        "blog/private/a.md",
        "blog/unpublished/a.md",
        "blog/_a.md",
    ],
)
def test_an_article_with_a_private_path_becomes_a_draft(key):
    assert read("", key).status == "draft"


@pytest.mark.parametrize(
    "key", ["blog/_posts/a.md", "blog/drafts.md", "blog/private-life/a.md", "blog/a_b.md"]
)
def test_an_article_with_a_path_that_is_not_private_is_published(key):
    assert read("", key).status == "published"


# Files without front matter


@pytest.mark.parametrize("text", ["Dear diary", "---\n---\nDear diary", "# Monday\n\nDear diary"])
@pytest.mark.parametrize("key", ["blog/diary.md", "blog/diary.txt"])
def test_a_file_without_front_matter_and_date_is_a_draft(text, key):
    record = read_text(text, key)
    assert record.status == "draft"
    assert "--publish-undated" in " ".join(record.notes)
    assert read_text(text, key, publish_undated=True).status == "published"


@pytest.mark.parametrize(
    "key", ["blog/2020-01-02-diary.md", "blog/2020/01/02/diary.md", "blog/2020-01-02-diary/index.md"]
)
def test_a_file_with_a_date_in_its_path_is_published(key):
    assert read_text("Dear diary", key).status == "published"


def test_a_file_with_front_matter_and_without_a_date_is_published():
    assert read_text("---\ntitle: Hello\n---\nText").status == "published"


def test_the_publish_undated_option_publishes_no_private_files():
    assert read_text("Dear diary", "blog/drafts/a.md", publish_undated=True).status == "draft"
    assert read_text("draft: true\n\nDear diary", publish_undated=True).status == "draft"


# Repository files


@pytest.mark.parametrize(
    "name",
    [
        *(
            "README.md",
            "readme.md",
            "README.fr.md",
            "README_zh-CN.md",
            "Readme.txt",
            "LICENSE.md",
            "LICENCE.txt",
        ),
        *("LICENSE-MIT.md", "CHANGELOG.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "code-of-conduct.md"),
        *(
            "SECURITY.md",
            "AUTHORS.txt",
            "NOTICE.txt",
            "CODEOWNERS.txt",
            "robots.txt",
            "humans.txt",
            "ads.txt",
        ),
        *(
            "app-ads.txt",
            "llms.txt",
            "llms-full.txt",
            "CNAME.txt",
            "requirements.txt",
            "requirements-dev.txt",
        ),
        *("dev-requirements.txt", "constraints.txt", "PULL_REQUEST_TEMPLATE.md", "security.txt"),
    ],
)
@pytest.mark.parametrize("text", ["Text", "---\ntitle: Hello\n---\nText", "---\nlayout: none\n---\nText"])
def test_repository_files_are_skipped(name, text):
    with pytest.raises(NotAnArticle, match="repository"):
        read_text(text, f"blog/{name}", publish_undated=True)


@pytest.mark.parametrize("name", ["README.md", "history.md", "security.md"])
def test_a_repository_file_with_title_and_date_is_a_draft(name):
    record = read("", f"blog/wiki/{name}")
    assert record.status == "draft"
    assert "repository" in record.notes[0]


@pytest.mark.parametrize(
    "name",
    [
        *("2020-01-01-readme.md", "readme-driven-development.md", "security-of-locks.md", "my-license.md"),
        *("authors-note.md", "history-of-rome.md", "my-requirements.md", "readme/index.md", "robots.md"),
    ],
)
def test_posts_with_names_similar_to_repository_files_are_published(name):
    assert read("", f"blog/{name}").status == "published"


@pytest.mark.parametrize(
    "front",
    [
        "<<: {draft: true}",
        "<<: [{a: b}, {published: false}]",
        "defaults: &d {draft: true}\n<<: *d",
        "params:\n  <<: {private: true}",
        "defaults: &d {draft: true}\nmore: &m\n  <<: *d\n<<: *m",
    ],
)
def test_a_private_field_in_a_yaml_merge_key_makes_the_article_a_draft(front):
    assert read(front).status == "draft"


def test_a_field_takes_precedence_over_a_yaml_merge_key():
    assert read("<<: {draft: true}\ndraft: false").status == "published"


def test_a_field_that_overrides_a_merged_field_is_not_reported_as_duplicate():
    notes = read("defaults: &d {a: b}\nmore: &m {<<: *d, a: c}\n<<: *m").notes
    assert not any("twice" in note for note in notes)


@pytest.mark.parametrize(
    ("front", "status"),
    [
        ("tags: daily", "draft"),
        # The web clipper of Obsidian writes the date of the cited page.
        ("published: 2024-01-02", "draft"),
        ("publish: false", "draft"),
        ("publish: true", "published"),
        ("dg-publish: true", "published"),
        ("draft: false", "published"),
    ],
)
def test_a_note_is_public_only_if_it_says_so(front, status):
    record = read_text(f"---\ndate: 2020-01-02\n{front}\n---\nText", is_note=True)
    assert record.status == status


def test_notes_without_a_field_are_published_on_request():
    record = read_text("---\ntags: daily\n---\nText", is_note=True, publish_undated=True)
    assert record.status == "published"


@pytest.mark.parametrize(
    ("mark", "site", "expected"),
    [
        (".obsidian/app.json", "", True),
        ("logseq/config.edn", "", True),
        (".obsidian/app.json", "quartz.config.ts", False),
        (".obsidian/app.json", "vault/hugo.toml", False),
        ("notes.txt", "", False),
    ],
)
def test_a_vault_is_recognised_by_its_settings(tmp_path, mark, site, expected):
    for name in filter(None, (f"vault/{mark}", "vault/daily/a.md", site)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert site_rules.is_in_vault(tmp_path / "vault" / "daily", 3) is expected


@pytest.mark.parametrize(
    ("front", "status"),
    [
        ("status: in progress", "draft"),
        ("status: in progress\npublish: true", "published"),
        ("status: in progress\npublish: false", "draft"),
        ("status: private\npublish: true", "draft"),
        ("status: evergreen", "published"),
    ],
)
def test_the_status_of_a_note_that_says_that_it_is_public_can_be_unknown(front, status):
    assert read(front).status == status
