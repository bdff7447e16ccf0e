"""Shortcodes that hid the text between their tags from all visitors or from some of them."""

from __future__ import annotations

import time

import pytest

from blogapi.importing.format_api.privacy_signs import (
    BUILDER_PREFIXES,
    BUILDERS,
    HARMLESS_SHORTCODES,
    HIDING_SHORTCODE_ATTRIBUTES,
    HIDING_SHORTCODES,
)
from blogapi.importing.formats.wordpress.conversion import Conversion
from blogapi.importing.formats.wordpress.post_text import convert_text
from tests.importing.formats.wordpress.exports import make_export, make_item, read_export
from tests.importing.guesses import mark_all

NEVER = "(?!)"
#: Words and parts of words that hid a text before there were guesses.
WORDS = (
    *(
        "member",
        "members",
        "membership",
        "memberonly",
        "logged",
        "loggedin",
        "login",
        "private",
    ),
    *(
        "paid",
        "premium",
        "role",
        "roles",
        "access",
        "visitor",
        "vip",
        "secret",
    ),
    *(
        "hide",
        "hidden",
        "locked",
        "locker",
        "exclusive",
        "patron",
        "drip",
        "mepr",
    ),
    *(
        "registered",
        "auth",
        "subscri",
        "restrict",
        "protect",
        "password",
        "paywall",
    ),
)
#: Shortcodes of plugins that hide by the words in their names
NAMES_WITH_WORDS = (
    "members_access access members_logged_in is_user_logged_in members_feed is_paid wpmem_logged_in"
    " um_loggedin lifterlms_hide_content mepr-show mepr-active wcm_restrict subscribers_content"
    " swpm_protected emember_protected arm_restrict_content ihc-hide-content wlm_private"
    " leaky_paywall_subscriber urcr_restrict urm-content-restriction private wppcp_private_content"
    " su_members su_private uas_loggedin mmbrs_logged_in mmbrs_roles member members memberonly"
    " qw_members restrict_content restricted restriction user_role vip_only loggedin loggedin_message"
    " is_logged_in user_logged_in subscriptionactive wcl_protect content_protector hide vip login"
    " login_to_view password secret geoip_detect2_hide_if time-restrict time-restrict-repeat handl_hide"
)
NAMES = [*HIDING_SHORTCODES, *NAMES_WITH_WORDS.split()]
#: By the name and the attribute in the table: attributes with which visitors saw the text, and not.
SHOWN = {
    ("membership", "level"): (['level="0"', "level=-1", 'level="0, 2"'], ['level="1"', 'level="10"', ""]),
    ("membership", "levels"): (['levels="0"'], ['levels="1,2"']),
    ("restrict", "level"): (['level="!gold"'], ['level="gold"', "paid=true"]),
    ("restrict-inner", "level"): (['level="!gold"'], ['level="gold"']),
    ("pms-restrict", "display_to"): (['display_to="not_logged_in"'], ['display_to="x"']),
    ("wppb-restrict", "display_to"): (['display_to="not_logged_in"'], ['user_roles="x"']),
    ("s2if", ""): (["!is_user_logged_in()", "! is_user_logged_in()"], ["is_user_logged_in()", "!a() && b()"]),
    ("mm_member_decision", "ismember"): (["isMember='false'"], ["isMember='true'"]),
    ("mm_access_decision", "ismember"): (["isMember='false'"], ["access='true'"]),
    ("mm_order_decision", "ismember"): (["isMember='false'"], ["isMember='true'"]),
    ("ms-protect-content", "access"): (['id="3" access="no"'], ['id="3"']),
    **{
        (name, "logged_out"): (["logged_out"], ['tag="x"'])
        for name in ("wpf", "wpf_loggedin", "wpf_user_can_access", "user_meta_if")
    },
    ("aam", "hide"): (['context="content" hide="authenticated"'], ['hide="all"']),
    ("content_control", "status"): (['status="logged_out"'], ['status="logged_in"']),
    ("toolset_access", "role"): (['role="guest"'], ['role="guest" operator="deny"', 'role="editor"']),
    ("eyesonly", "logged"): (['logged="out"'], ['logged="in"', 'level="editor"']),
}
#: By the attribute: shortcodes that have it for another purpose.
OTHER_USES = {
    "role": ['team-person role="Baker"', 'acme_testimonial role="CEO"', 'speaker role=""'],
    "capability": ['machine_part capability="cutting"'],
    "membership": ['library_card membership="yearly"'],
    "level": ['acme_heading level="2"', 'list_item level="3"', "skill level=90"],
}
#: By the attribute of a page builder: start tags with the result.
BUILDER_EXAMPLES = {
    "?": [
        ('vc_row note="[" disable_element="yes"', "draft"),
        ('vc_row note="(" disable_element="no"', "public"),
    ],
    "disable_element": [
        ('vc_row disable_element="yes"', "left out"),
        ('vc_row disable_element="perhaps"', "draft"),
        ('vc_row disable_element=""', "public"),
        ('vc_row css=".vc_custom"', "public"),
    ],
    "disabled": [
        ('et_pb_text disabled="on"', "left out"),
        ('et_pb_text disabled="1"', "draft"),
        ('et_pb_text disabled="off"', "public"),
        ('vc_acme disabled="on"', "public"),
    ],
    "disabled_on": [
        ('et_pb_section disabled_on="on|on|on"', "left out"),
        ('et_pb_section disabled_on="logged_in"', "draft"),
        ('et_pb_section disabled_on="on|on|off"', "public"),
        ('et_pb_section disabled_on="||"', "public"),
    ],
    "display_conditions": [
        ('et_pb_section display_conditions="W3sibmFtZSI6MX1d"', "draft"),
        ('et_pb_section display_conditions="W10="', "public"),
    ],
    "render_logics": [
        ('fusion_builder_container render_logics="W3siZmllbGQiOiJ1c2VyIn1d"', "draft"),
        ('fusion_builder_container render_logics="W10="', "public"),
    ],
    "visibility": [
        ('fusion_builder_container visibility="hidden"', "left out"),
        ('fusion_builder_container visibility="hide-for-small"', "public"),
    ],
    "status": [
        ('fusion_builder_container status="draft"', "draft"),
        ('fusion_builder_container status="published"', "public"),
        ('et_pb_section status="draft"', "public"),
    ],
}


def read(folder, content):
    (record,) = read_export(folder, make_export(make_item(content=f"Before.\n\n{content}\n\nAfter.")))
    assert "Before." in record.content
    return mark_all(record)


def read_all(folder, contents):
    """Return the record of a post for each content, by the name of its shortcode."""
    texts = [f"Before.\n\n{content}\n\nAfter." for content in contents.values()]
    items = [make_item(content=text, post_id=str(number)) for number, text in enumerate(texts, 20)]
    records = map(mark_all, read_export(folder, make_export(*items)))
    return dict(zip(contents, records, strict=True))


def find_reasons(record):
    return [note for note in record.notes if note.endswith("; the article became a draft.")]


def assert_is_draft(record, name):
    (reason,) = find_reasons(record)
    assert (record.status, reason.startswith(f"The shortcode “{name}” ")) == ("draft", True)


def assert_is_public(record):
    assert (record.status, find_reasons(record)) == ("published", [])
    assert "SECRET" in record.content and "After." in record.content


def enclose(tag, text="SECRET"):
    return f"[{tag}]{text}[/{tag.split(' ')[0]}]"


@pytest.mark.parametrize("write", [str.lower, str.upper])
def test_a_known_shortcode_makes_a_draft_in_each_case(tmp_path, write):
    for name, record in read_all(tmp_path, {name: enclose(write(name)) for name in NAMES}).items():
        assert_is_draft(record, name)


@pytest.mark.parametrize(
    "content", ["[%s] SECRET", "[%s /] SECRET", "[[%s]SECRET[/%s]]", "&#91;%s]SECRET[/%s]"]
)
def test_a_known_shortcode_hides_nothing_without_an_end_and_in_examples(tmp_path, content):
    for record in read_all(tmp_path, {name: content.replace("%s", name) for name in NAMES}).values():
        assert_is_public(record)


def test_what_visitors_saw_is_public(tmp_path):
    shown = {f"{name} {one}" for (name, _), (values, _) in SHOWN.items() for one in values}
    for record in read_all(tmp_path, {tag: enclose(tag) for tag in shown}).values():
        assert_is_public(record)
    hidden = {f"{name} {one}" for (name, _), (_, values) in SHOWN.items() for one in values}
    for tag, record in read_all(tmp_path, {tag: enclose(tag) for tag in hidden}).items():
        assert_is_draft(record, tag.split()[0])


def test_each_condition_of_the_table_has_an_example():
    conditions = {name for name, sign in HIDING_SHORTCODES.items() if sign.unless != NEVER}
    assert conditions == {name for name, _ in SHOWN}


@pytest.mark.parametrize("prefix", ["", "su_"])
def test_harmless_shortcodes_hide_nothing(tmp_path, prefix):
    contents = {name: enclose(prefix + name, "<p>SECRET</p>") for name in HARMLESS_SHORTCODES}
    for record in read_all(tmp_path, contents).values():
        assert_is_public(record)


@pytest.mark.parametrize("prefix", BUILDER_PREFIXES)
def test_shortcodes_of_page_builders_hide_nothing_by_their_names(tmp_path, prefix):
    assert_is_public(read(tmp_path, enclose(f'{prefix}team_member role="Baker"')))


@pytest.mark.parametrize("name", ["acme_%s", "%s-acme", "acme2%s3"])
def test_unknown_shortcodes_hide_by_the_words_of_their_names(tmp_path, name):
    names = [name.replace("%s", word) for word in WORDS]
    for found, record in read_all(tmp_path, {one: enclose(one) for one in names}).items():
        assert_is_draft(record, found)
    for record in read_all(tmp_path, {one: f"[{one}] SECRET" for one in names}).values():
        assert_is_public(record)


@pytest.mark.parametrize(
    "name", ["isLoggedIn", "PremiumContent", "_s2ForMembers2", "if_registered", "wp-auth"]
)
def test_words_begin_at_capitals_too(tmp_path, name):
    assert_is_draft(read(tmp_path, enclose(name)), name.lower())
    assert_is_public(read(tmp_path, f"[{name}] SECRET"))


@pytest.mark.parametrize(
    ("shown", "hidden"),
    [
        ("user_not_logged_in", "user_logged_in"),
        ("non_member", "member_2"),
        ("if_logged_out", "hide_if_logged_out"),
        ("ifNotPaid", "if_not_visitor"),
        ("login_form", "login_platform"),
        ("premium-button", "not_hidden_visitor"),
        ("protected_email2", "protected_mails"),
        ("member_directory", "member_dir"),
        ("newsletter_subscribe", "subscribe_letter"),
        ("hide_mobile", "hide_automobile"),
        ("am4guest", "am4show"),
    ],
)
def test_a_name_for_visitors_or_with_another_use_hides_nothing(tmp_path, shown, hidden):
    assert_is_public(read(tmp_path, enclose(shown)))
    assert_is_draft(read(tmp_path, enclose(hidden)), hidden)


@pytest.mark.parametrize("attribute", sorted(HIDING_SHORTCODE_ATTRIBUTES))
def test_unknown_shortcodes_hide_by_their_attributes(tmp_path, attribute):
    assert_is_draft(read(tmp_path, enclose(f'acme {attribute}="editor"')), "acme")
    assert_is_public(read(tmp_path, f'[acme {attribute}="editor"] SECRET'))
    for tag in OTHER_USES[attribute]:
        assert_is_public(read(tmp_path, enclose(tag)))


def test_the_words_inside_of_a_part_hide_too(tmp_path):
    assert_is_draft(read(tmp_path, enclose("unsubscribed")), "unsubscribed")


@pytest.mark.parametrize(
    ("tag", "expected"), [(tag, expected) for cases in BUILDER_EXAMPLES.values() for tag, expected in cases]
)
def test_page_builders_hide_by_attributes(tmp_path, tag, expected):
    record = read(tmp_path, enclose(tag, "<p>SECRET</p>"))
    if expected == "public":
        assert_is_public(record)
    elif expected == "draft":
        assert_is_draft(record, tag.split()[0])
    else:
        assert (record.status, "SECRET" in record.content, "After." in record.content) == (
            "published",
            False,
            True,
        )
        assert record.notes[0].endswith(" was hidden from all visitors; this part was left out.")


def test_each_attribute_of_a_page_builder_has_an_example():
    assert BUILDERS.keys() == BUILDER_EXAMPLES.keys()


def test_a_hidden_element_is_left_out_with_its_attributes_and_all_that_it_contains(tmp_path):
    hidden = enclose(
        'et_pb_section disabled_on="on|on|on"',
        enclose('et_pb_cta title="SECRET"', "[restrict]SECRET[/restrict]"),
    )
    record = read(tmp_path, f'{hidden}[et_pb_blurb title="SECRET" disabled="on"]{enclose("vc_row", "Open.")}')
    assert (record.status, "SECRET" in repr(record), "Open." in record.content) == ("published", False, True)


def test_an_element_without_content_hides_nothing_that_follows(tmp_path):
    content = '[vc_row disable_element="yes" /]<p>SECRET</p>' + enclose("vc_row", "Open.")
    assert_is_public(read(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("[_s2If is_user_logged_in()]a[__s2If x()]SECRET[/__s2If][/_s2If]", "_s2if"),
        ("[sociallocker-bulk-1]SECRET[/sociallocker-bulk-1]", "sociallocker-bulk-1"),
        ("[row][restrict]SECRET[/restrict][/row]", "restrict"),
        ("[acme note=[restrict]SECRET[/restrict]", "restrict"),
        ('[restrict message="Please [login] first"]SECRET[/restrict]', "restrict"),
        ('[restrict message="<a href=\'/x\'>Log in</a>"]SECRET[/restrict]', "restrict"),
        ("[restrict]SECRET[/Restrict]", "restrict"),
        ("<p>SECRET</p><!-- [restrict]x[/restrict] -->", "restrict"),
        ("[restrict]one[restrict]SECRET[/restrict]", "restrict"),
        ("[[restrict]] shows it [restrict]SECRET[/restrict]", "restrict"),
        ("[[restrict]SECRET[/restrict] and a bracket", "restrict"),
        ("<pre>[restrict]SECRET[/restrict]</pre>", "restrict"),
        ("<code>[restrict]SECRET[/restrict]</code>", "restrict"),
        ("<!-- wp:a -->[restrict]<!-- /wp:a --><p>SECRET</p><!-- wp:a -->[/restrict]", "restrict"),
        ("one [restrict]<!-- wp:paragraph --><p>SECRET</p><!-- /wp:paragraph -->[/restrict]", "restrict"),
        (f'[restrict level="!gold" x="{"y" * 9_000}[a"]SECRET[/restrict]', "restrict"),
    ],
)  # fmt: skip
def test_shortcodes_are_found_as_wordpress_finds_them(tmp_path, content, name):
    assert_is_draft(read(tmp_path, content), name)


@pytest.mark.parametrize(
    "content",
    [
        "SECRET [/restrict] and [restrict] in the wrong order",
        "Write [[restrict]] before and [[/restrict]] after SECRET.",
        "[[restrict level=3]SECRET[/restrict]]",
        "[code][restrict]SECRET[/restrict][/code]",
        '[sourcecode language="php"][restrict]SECRET[/restrict][/sourcecode]',
        "<pre>&#91;restrict]SECRET&#91;/restrict]</pre>",
        "SECRET [member] is a word in brackets, [restrict",
        "SECRET [login] [register]",
        "<!-- [restrict] <p>SECRET</p>",
    ],
)
def test_other_texts_with_the_names_hide_nothing(tmp_path, content):
    (record,) = read_export(tmp_path, make_export(make_item(content=content)))
    assert (record.status, find_reasons(record), "SECRET" in record.content) == ("published", [], True)


def test_a_shortcode_in_the_excerpt_makes_a_draft(tmp_path):
    (record,) = read_export(tmp_path, make_export(make_item(excerpt="[restrict]SECRET[/restrict]")))
    assert_is_draft(record, "restrict")


def test_an_unknown_shortcode_is_a_guess_without_any_word(tmp_path):
    contents = [
        "[acme]SECRET[/acme] [Acme]b[/Acme]",
        "[row]a[/row] [b]c[/b] [acme] [timeline_acme]a[/timeline_acme]",
    ]
    items = [make_item(post_id=str(number), content=text) for number, text in enumerate(contents, 20)]
    marked, plain = read_export(tmp_path, make_export(*items))
    assert [(guess.name, guess.is_new) for guess in marked.guesses] == [("shortcode:acme", True)]
    assert (marked.status, plain.status, plain.guesses) == ("published", "published", ())


@pytest.mark.parametrize(
    "pattern",
    [
        *("[membership level=0", "[restrict", "[[restrict]", "[/restrict]", "[restrict][/restrict]", "<!--"),
        *("<!-- [", "[vc_row a", "[vc_row disable_element=no]", "[a", "[_", "[acme][/acme]", "[x[/x]", "[1"),
        *("<!-- wp:a -->", '<!-- wp:a {"acmeVisibility":"x"} -->', '<!-- wp:a {"visib', "[a-bulk-1"),
        "<!-- wp:premium-content/container -->",
    ],
)
def test_the_work_is_in_proportion_to_the_length(pattern):
    def measure(length):
        text = pattern * (length // len(pattern)) + "]-->[/membership][/restrict][/a]"
        start = time.process_time()
        convert_text(text, Conversion(get_attachment={}.get))
        return time.process_time() - start

    measure(1_000)
    limit = 12 * measure(10_000) + 0.1
    # A collection of garbage can only make a measurement longer.
    assert any(measure(40_000) < limit for _ in range(3))
