"""Each field that hides an article in some system makes a draft, and its other uses do not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from blogapi.importing.format_api import privacy_signs
from blogapi.importing.format_api.privacy_signs import (
    FIELD_RULES,
    MAPPING_PREFIXES,
    PRIVACY_FIELDS,
    list_names,
)
from blogapi.importing.format_api.source import ImportOptions
from blogapi.importing.formats.markdown import reader
from blogapi.importing.formats.markdown.generators import GeneratorSite
from blogapi.importing.refusals import NotAnArticle
from blogapi.importing.texts.lines import normalize_key
from tests.importing.guesses import mark_all

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NAMES_BY_RULE = {rule: list_names(sources) for rule, sources in PRIVACY_FIELDS.items()}
NAMES = [name for names in NAMES_BY_RULE.values() for name in names]
#: For each field, its commonest use that hides nothing.
HARMLESS = {
    **dict.fromkeys(("draft", "drafts", "isDraft", "saveAsDraft", "wip", "isWip", "headless"), "false"),
    **dict.fromkeys(("private", "isPrivate", "hidden", "isHidden", "secret"), "'no'"),
    **dict.fromkeys(("unpublished", "ignorePost", "doNotPublish", "dontPublish", "noPublish"), "false"),
    **dict.fromkeys(("unfinished", "incomplete", "emailOnly", "encrypt", "encrypted"), "[]"),
    **dict.fromkeys(("locked", "isLocked", "protected", "isProtected", "protect", "restricted"), "none"),
    **dict.fromkeys(("membersOnly", "memberOnly", "subscribersOnly", "gated", "isGated"), "0"),
    **dict.fromkeys(("premium", "isPremium", "paid", "isPaid", "paywall", "paywalled"), "free"),
    **dict.fromkeys(("vip", "exclusive", "sponsorsOnly", "loginRequired", "requiresLogin"), "off"),
    **dict.fromkeys(("requireLogin", "authRequired", "requiresAuth", "requireAuth"), ""),
    **dict.fromkeys(("eleventyExcludeFromCollections", "buildawesomeExcludeFromCollections"), "false"),
    "permalink.build": "always",
    "hide": "[navigation, toc]",
    **dict.fromkeys(("published", "isPublished", "publish", "dg-publish"), "2019-05-01"),
    **dict.fromkeys(("public", "isPublic", "visible", "isVisible"), "everyone"),
    **dict.fromkeys(("render", "routable", "unlisted", "isUnlisted", "delisted"), None),
    **dict.fromkeys(("listed", "isListed"), "true"),
    **dict.fromkeys(("list", "post", "article"), "[bread, rolls]"),
    "status": "featured",
    **dict.fromkeys(("postStatus", "publishStatus"), "published"),
    "visibility": "public",
    "access": "by train",
    "accessLevel": "anyone",
    "audience": "home bakers",
    **dict.fromkeys(("group", "groups"), "[cycling]"),
    "invisible": "ink",
    **dict.fromkeys(("passwort", "kennwort", "motDePasse", "contraseña", "senha", "wachtwoord"), "false"),
    **dict.fromkeys(("hasło", "lösenord", "пароль", "密码", "密碼", "パスワード"), "false"),
    **dict.fromkeys(("role", "roles"), "[editor]"),
    **dict.fromkeys(("permission", "permissions"), "reprint allowed"),
    **dict.fromkeys(("plan", "tier", "tiers"), "1"),
    "members": "[Ada, Grace]",
    "subscribers": "1200",
    "build.render": "always",
    "build.list": "always",
    **dict.fromkeys(
        ("password", "passwords", "passphrase", "passcode", "postPassword", "pwd", "passwd", "pw"), "''"
    ),
    **dict.fromkeys(("deleted", "trashed", "disabled", "confidential"), "2019-05-01"),
    "internal": "/docs/",
    **dict.fromkeys(("inProgress", "idea", "lock"), "a short text"),
    "template": "post.html",
    **dict.fromkeys(("skip", "exclude", "excluded", "ignore", "ignored"), "[sitemap]"),
    **dict.fromkeys(("active", "enabled", "live", "approved", "publishable"), "home"),
    **dict.fromkeys(("ready", "released", "finished", "complete", "completed", "done"), "2019-05-01"),
    **dict.fromkeys(("state", "workflow"), "ON"),
    "stage": "seedling",
    "type": "posts",
    "permalink": "/2020/a/",
    "write": "true",
    "url": "/2020/a/",
    **dict.fromkeys(("online", "show", "display"), "home"),
}
#: The values with which `render` and similar fields hide nothing.
SHOWN = {"render": "true", "routable": "true", "unlisted": "false", "isUnlisted": "no", "delisted": "0"}
#: Fields about lists, feeds, search engines and other things.
OTHER_FIELDS = (
    *("noindex: true", "robots: noindex", "robotsNoIndex: true", "sitemap: false", "searchable: false"),
    *("searchHidden: true", "in_search_index: false", "index: false", "hiddenInHomeList: true"),
    *("hide_from_feed: true", "excludeFromRss: true", "rss_ignore: true", "feed: false"),
    *("nav_exclude: true", "dg-hide: true", "toc: false", "comments: false", "layout: none"),
    *("layout: false", "timeline: false", "deprecated: true", "test: true", "price: 10"),
    *("sponsor: Ada", "newsletter: true", "stage: budding", "status: complete", "status: done"),
    *("hide: comments", "hide: [date]", "extra: {params: {draft: false}}", "status: final"),
    *(
        "access: {}",
        "audience: {home: bakers}",
        "hide: [toc]",
        "team_members: [Ada]",
        "accessibility: true",
        "roleplay: true",
    ),
)


def read(front, generator=""):
    text = f"---\ntitle: Hello\ndate: 2020-01-02\n{front}\n---\nText"
    site = GeneratorSite(Path(), generator, "", {}, "") if generator else None
    place = reader.FileContext(path=Path("a.md"), site=site)
    return mark_all(reader.parse_article("blog/a.md", text.encode(), ImportOptions(now=NOW), place))


def write(name, value, mapping=""):
    outer, _, inner = name.rpartition(".")
    outer = outer or mapping
    quoted = value if value is None or value.startswith(("[", "'")) else f'"{value}"'
    return f"{outer}: {{{inner}: {quoted}}}" if outer else f"{name}: {quoted}"


def check_is_hidden(record, name, value):
    rule = FIELD_RULES[normalize_key(name)]
    if rule.is_unlisting or value == "unlisted":
        assert (record.status, "draft" in " ".join(record.notes)) == ("unlisted", False)
        return
    assert record.status == "draft"
    is_obvious = (value == "draft" and not rule.is_guess) or name in ("draft", "isDraft", "published")
    said = [note for note in record.notes if name in note and "became a draft" in note]
    assert bool(said) != is_obvious


def choose_private_value(name):
    rule = FIELD_RULES[normalize_key(name)]
    return "mellon" if rule.is_secret else next(value for value in sorted(rule.private) if value)


@pytest.mark.parametrize("name", NAMES)
def test_each_field_hides_an_article_with_a_note(name):
    value = choose_private_value(name)
    if name == "headless":
        with pytest.raises(NotAnArticle, match="headless"):
            read(write(name, value))
        return
    check_is_hidden(read(write(name, value)), name, value)


@pytest.mark.parametrize("mapping", [name for name, prefix in MAPPING_PREFIXES.items() if not prefix])
def test_each_field_hides_an_article_also_in_a_mapping(mapping):
    for name in (name for name in NAMES if "." not in name):
        assert read(write(name, choose_private_value(name), mapping)).status in ("draft", "unlisted"), name
        harmless = SHOWN.get(name, HARMLESS[name])
        assert read(write(name, harmless, mapping)).status == "published", name


@pytest.mark.parametrize("rule", NAMES_BY_RULE, ids=lambda rule: NAMES_BY_RULE[rule][-1])
def test_each_private_value_of_each_rule_hides_an_article(rule):
    name = NAMES_BY_RULE[rule][-1]
    for value in filter(None, rule.private):
        check_is_hidden(read(write(name, value)), name, value)


@pytest.mark.parametrize("name", NAMES)
def test_each_field_has_a_use_that_hides_nothing(name):
    assert read(write(name, SHOWN.get(name, HARMLESS[name]))).status == "published"


@pytest.mark.parametrize("rule", NAMES_BY_RULE, ids=lambda rule: NAMES_BY_RULE[rule][0])
def test_each_public_value_of_each_rule_hides_nothing(rule):
    for value in rule.public:
        expected = "archived" if value in ("archived", "archive") else "published"
        assert read(write(NAMES_BY_RULE[rule][0], value)).status == expected, value


@pytest.mark.parametrize("front", OTHER_FIELDS)
def test_fields_about_lists_feeds_and_search_hide_nothing(front):
    assert read(front).status == "published"


@pytest.mark.parametrize("front", ["hidden: all", "private: everyone", "hide: public", "locked: default"])
def test_a_field_that_hides_from_everyone_is_no_field_for_everyone(front):
    assert read(front).status == "draft"


@pytest.mark.parametrize(
    "front",
    [
        "extra: {params: {draft: true}}",
        "extra: {custom: {meta: {build: {render: never}}}}",
        "visibility: {role: editor}",
        "access: {role: editor}",
    ],
)
def test_fields_in_several_mappings_and_mappings_as_values_make_a_draft(front):
    assert read(front).status == "draft"


def test_the_public_statuses_of_notion_are_public_in_front_matter():
    assert privacy_signs.STATUS_RULE.public >= privacy_signs.NOTION_PUBLIC_STATUSES


def test_hidden_keeps_an_article_only_out_of_the_lists_of_jekyll():
    record = read("hidden: true", "jekyll")
    assert (record.status, record.notes) == ("unlisted", ())
    assert read("hidden: perhaps", "jekyll").status == "draft"
    assert read("hidden: true\nprivate: true", "jekyll").status == "draft"


@pytest.mark.parametrize(
    ("name", "status"),
    [("_config.yml", "unlisted"), ("hugo.toml", "draft"), ("", "draft"), ("_config.yml hexo", "draft")],
)
def test_the_configuration_decides_what_hidden_means(tmp_path, name, status):
    (tmp_path / "_posts").mkdir()
    path = tmp_path / "_posts" / "2020-01-02-a.md"
    path.write_text("---\nhidden: true\n---\nText", encoding="utf-8")
    if name:
        text = "new_post_name: :title.md\n" if name.endswith("hexo") else "title: A\n"
        (tmp_path / name.split(" ")[0]).write_text(text, encoding="utf-8")
    entry = reader.Entry("_posts/2020-01-02-a.md", path)
    assert reader.read_article(entry, ImportOptions(now=NOW)).status == status


def test_a_hidden_article_of_pelican_is_unlisted():
    def read_header(status):
        text = f"Title: Hello\nDate: 2020-01-02\nStatus: {status}\n\nText"
        return reader.parse_article("blog/a.md", text.encode(), ImportOptions(now=NOW)).status

    assert (read_header("hidden"), read_header("draft"), read_header("skip")) == (
        "unlisted",
        "draft",
        "draft",
    )


@pytest.mark.parametrize("name", privacy_signs.ARCHIVING_FIELDS)
def test_an_archived_article_is_archived_with_a_note(name):
    record = read(f"{name}: true")
    assert record.status == "archived"
    assert record.notes == (f"It has `{name}: true`; the article was archived.",)
    assert read(f"{name}: false").status == read(f"{name}: 2019").status == "published"
    assert read(f"{name}: true\nprivate: true").status == "draft"


@pytest.mark.parametrize(
    "sources",
    [
        *PRIVACY_FIELDS.values(),
        privacy_signs.STRICT_DATE_FIELDS,
        privacy_signs.LENIENT_DATE_FIELDS,
        *privacy_signs.TEXT_MARKS.values(),
    ],
)
def test_each_sign_has_a_source(sources):
    assert sources and all(source.strip() and names.split() for source, names in sources.items())


@pytest.mark.parametrize(
    "signs",
    [
        privacy_signs.HIDING_BLOCKS.values(),
        privacy_signs.HIDING_SHORTCODES.values(),
        privacy_signs.BUILDERS.values(),
        privacy_signs.HIDING_FIELDS.values(),
        privacy_signs.UNREAD_RULE_PLUGINS,
    ],
)
def test_each_sign_of_wordpress_has_the_source_of_few_signs(signs):
    names = {}
    for sign in set(signs):
        names.setdefault(sign.source, []).extend(sign.names)
    # A source of many signs would name no plugin.
    assert all(source.strip() and 0 < len(found) < 10 for source, found in names.items())
