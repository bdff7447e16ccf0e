"""The words that hide, in the names and values of each carrier, and names that only look like them."""

from __future__ import annotations

import pytest

from blogapi.importing.format_api import hiding_words
from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.format_api.hidden_parts import apply_hiding_signs
from blogapi.importing.format_api.privacy import find_draft_reasons_in_front_matter, marks_private_article

NAMES = (
    *("subscriber-content", "members-area", "vip-zone", "login-required", "pay-to-read", "role-restriction"),
    *("content-lock", "staff-only", "LoggedInOnly", "SubscriberGate", "AuthRequired", "ShowIfMember"),
    *("signed-in-only", "memberOnly", "rolesAllowed", "subscriberwall", "paidcontent", "unlocked_for"),
    *("autohide", "contentgate", "draft", "hidden", "email_gate", "newsletter-locker"),
)
OTHER_NAMES = (
    *("PricingTable", "login-form", "LoginButton", "team-members", "CardGroup", "RadioGroup", "navigation"),
    *("block", "clock", "aggregate", "firewall", "NotLoggedIn", "logged-out-view", "guest-content"),
    *("SubscribeForm", "plan-table", "accessibility", "access-map", "tier-list", "author-box", "hideout"),
    *("email-form", "newsletter-box"),
    *("blocked", "forbidden", "fellowship", "remember", "privateer", "secretary", "patronage"),
)
KEYS = (
    *("members_only: 'yes'", "requires_membership: true", "min_plan: gold", "required_tier: 2"),
    *(
        "audience: supporters",
        "groups: [staff]",
        "access_roles: [editor]",
        "post_visibility: private",
        "article_status: draft",
        "is_public_post: false",
    ),
    *("is_not_published: true", "needs_login: true", "paywall_type: hard", "sichtbarkeit: privat"),
    *(
        "nur_mitglieder: true",
        "visibilité: privé",
        "stato: bozza",
        "hidden_from_site: true",
        "scope: private",
    ),
)
OTHER_KEYS = (
    *("login: ada", "guest: Bob", "group: cycling", "staff: [Ada]", "rank: 3", "levels: [1, 2]"),
    *("member_since: 2019", "sponsors: [Acme]", "hide_title: true", "show_comments: false", "paid_by: Acme"),
    *("login_url: /login", "password_hint: none", "comment_status: closed", "state: Ohio", "category: draft"),
    *("layout: private", "tags: [private]", "description: members", "hide_in_nav: true", "subscribe: true"),
    *("invisible: false", "groups: [cycling]", "audience: developers"),
    *("title: members", "author_role: editor", "hidden_gem: true", "unlock_date: 2020-01-01"),
)


def find(line):
    name, _, text = line.partition(": ")
    values = [part.strip() for part in text.strip("[]").split(",")]
    value = values if text.startswith("[") else {"true": True, "false": False}.get(text, text.strip("'"))
    return [reason.guess for reason in find_draft_reasons_in_front_matter({name: value})]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_word_hides(name):
    assert hiding_words.is_hiding_name(name)
    assert hiding_words.is_hiding_name(name.replace("-", "_"))


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_name_without_a_word_or_with_another_use_hides_nothing(name):
    assert not hiding_words.is_hiding_name(name)


@pytest.mark.parametrize("line", KEYS)
def test_a_key_with_a_word_is_a_guess(line):
    assert find(line) == [f"key:{line.partition(': ')[0]}"]


@pytest.mark.parametrize("line", OTHER_KEYS)
def test_a_key_with_another_purpose_is_none(line):
    assert find(line) == []


@pytest.mark.parametrize(("name", "value"), [("_members_only", "1"), ("_x_access", "logged_in")])
def test_a_custom_field_hides_by_its_name_or_its_whole_value(name, value):
    assert marks_private_article(name, value)
    assert not marks_private_article(name, "0") and not marks_private_article(f"{name}_title", value)


@pytest.mark.parametrize(
    "name",
    [
        "wip",
        "_unfinished",
        "unpublished-notes",
        "Entwürfe",
        "草稿",
        "private_posts",
        "drafts 2021",
        "deleted",
        "Work in progress",
    ],
)
def test_a_folder_with_a_name_of_the_list_hides(name):
    assert hiding_words.is_hiding_folder(name)


@pytest.mark.parametrize("name", ["draft-horses", "private-cloud", "_x", "notes", "hidden-gems", "posts"])
def test_other_folders_hide_nothing(name):
    assert not hiding_words.is_hiding_folder(name)


@pytest.mark.parametrize("name", ["draft-x.md", "DRAFT x.md", "x.draft.md", "wip_x.md"])
def test_a_draft_file_is_named_so(name):
    assert hiding_words.DRAFT_FILE.match(name)
    assert not any(map(hiding_words.DRAFT_FILE.match, ("mydraft.md", "drafting-x.md")))


@pytest.mark.parametrize(("text", "hides"), [("paid", True), ("members only", True), ("paid for it", False)])
def test_a_comment_names_nothing_but_readers(text, hides):
    assert hiding_words.is_hiding_comment(text) is hides


@pytest.mark.parametrize(
    ("element", "hides"),
    [
        ("<Show when='signed-in'>", True),
        ('<Show when={"logged-in"}>', True),
        ("<Show when='signed-out'>", False),
        ("<TabItem value='members'>", False),
        ("<Badge label='private'>", False),
        ("<label for='hidden'>", False),
    ],
)
def test_a_component_hides_by_the_readers_whom_it_names(element, hides):
    name = element[1:].split()[0]
    content = f"Shown.\n\n{element}\n\nWords.\n\n</{name}>\n"
    record = ArticleRecord(
        key="a", title="A", content=content, content_type="markdown", status="published", published_at=None
    )
    assert [guess.name for guess in apply_hiding_signs(record).guesses] == ([f"tag:{name}"] if hides else [])
