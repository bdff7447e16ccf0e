"""Custom fields that hid a post, its expiry, and plugins whose rules are not in the file."""

from __future__ import annotations

import pytest

from blogapi.importing.format_api.privacy_signs import HIDING_FIELDS, UNREAD_RULE_PLUGINS
from tests.importing.formats.wordpress.exports import (
    make_export,
    make_item,
    make_meta,
    open_export,
    read_export,
)
from tests.importing.guesses import mark_all


def text(value):
    return f's:{len(value.encode())}:"{value}";'


def array(**entries):
    items = "".join(
        text(key) + (value if value.endswith((";", "}")) else text(value)) for key, value in entries.items()
    )
    return f"a:{len(entries)}:{{{items}}}"


def ultimate_member(switch, accessible):
    return array(_um_custom_access_settings=switch, _um_accessible=accessible, _um_noaccess_action="0")


EMPTY = "a:0:{}"
ALL = 'a:1:{i:0;s:3:"all";}'
LEVELS = 'a:2:{i:0;s:1:"1";i:1;i:3;}'
#: By the name of the field: values that hide the post, and values that do not.
FIELDS = {
    "_members_access_role": (["subscriber"], [""]),
    "_jetpack_newsletter_access": (["subscribers", "paid_subscribers"], ["everybody", ""]),
    "_llms_is_restricted": (["yes"], ["no", ""]),
    "_is_paid": (["1"], ["0", ""]),
    "_wpmem_block": (["1", "2"], ["0"]),
    "ihc_mb_who": (["reg", "3"], ["all", "-1"]),
    "patreon-level": (["5"], ["0"]),
    "rcp_access_level": (["3"], ["None", "0"]),
    "rcp_user_level": (["subscriber", 'a:1:{i:0;s:6:"editor";}'], ["All", "all", "None", ALL]),
    "rcp_subscription_level": (["any", "any-paid", LEVELS], ["", EMPTY]),
    "memberful_acl": ([LEVELS, array(subscription=LEVELS)], ["", EMPTY, array(product=EMPTY)]),
    "memberful_available_to_any_registered_user": (["1"], ["0", ""]),
    "memberful_available_to_anybody_subscribed_to_a_plan": (["1"], ["0", ""]),
    "groups-read": (["4"], [""]),
    "um_content_restriction": (
        [ultimate_member("1", "2"), ultimate_member("b:1;", "i:2;"), ultimate_member("1", "9")],
        [ultimate_member("1", "0"), ultimate_member("1", "1"), ultimate_member("0", "2"), EMPTY],
    ),
    "pms-content-restrict-user-status": (["loggedin"], [""]),
    "pms-content-restrict-subscription-plan": (["12"], [""]),
    "wppb-content-restrict-user-status": (["loggedin"], [""]),
    "wppb-content-restrict-user-role": (["editor"], [""]),
    "arm_access_plan": (["0", "3"], []),
    "passster_activate_protection": (["1"], ["", "0"]),
    "_wppcp_post_page_visibility": (["member", "role", "users"], ["none", "all", "guest"]),
    "_issuem_leaky_paywall_visibility": (
        [array(visibility_type="only"), array(visibility_type="onlyalways", only_visible=LEVELS)],
        [array(visibility_type="default"), array(visibility_type="always", always_visible=LEVELS)],
    ),
    "wpf-settings": (
        [array(lock_content="1"), array(lock_content="i:1;", allow_tags=LEVELS)],
        [array(allow_tags=LEVELS), array(lock_content="0")],
    ),
    "_yith_wcmbs_restrict_access_plan": ([LEVELS], [EMPTY, ""]),
    **{
        name: (["1"], ["0", ""])
        for name in (
            *("_is4wp_any_loggedin_user", "_is4wp_any_membership", "_is4wp_membership_levels"),
            "_is4wp_access_tags",
        )
    },
    "ure_prohibit_allow_flag": (["2"], ["1", "0"]),
    "laterpay_post_prices": ([array(type="individual", price="1.99")], [array(price="0.00"), EMPTY]),
    "_coil_monetize_post_status": (["gate-all", "gate-tagged-blocks"], ["no-gating", "default", ""]),
    "wp_protect_password_multiple_passwords": (['a:1:{i:0;s:3:"abc";}'], [EMPTY]),
}  # fmt: skip
#: Fields that sound as if they hid the post.
HARMLESS = {
    "_yoast_wpseo_meta-robots-noindex": "1",
    "_jetpack_dont_email_post_to_subs": "1",
    "_wp_page_template": "template-members.php",
    "rcp_hide_from_feed": "1",
    "_wplp_post_front": "1",
    "_memberful_acl": LEVELS,
    "membership": "gold",
}


def read(folder, content="SECRET", **metas):
    (record,) = read_export(folder, make_export(make_item(content=content, extra=make_meta(**metas))))
    assert "SECRET" in record.content
    return mark_all(record)


@pytest.mark.parametrize("name", FIELDS)
def test_a_post_is_hidden_by_its_fields(tmp_path, name):
    hiding, others = FIELDS[name]
    for value in hiding:
        record = read(tmp_path, **{name: value})
        note = f"It was only for members or subscribers (`{name}`); the article became a draft."
        assert (value, record.status, record.notes) == (value, "draft", (note,))
    for value in others:
        assert (value, read(tmp_path, **{name: value}).status) == (value, "published")


def test_each_field_of_the_table_has_an_example():
    assert FIELDS.keys() == HIDING_FIELDS.keys()


@pytest.mark.parametrize("name", HARMLESS)
def test_other_fields_hide_nothing(tmp_path, name):
    assert read(tmp_path, **{name: HARMLESS[name]}).status == "published"


@pytest.mark.parametrize(
    "value", ["a:1:{i:0;", 'O:8:"stdClass":0:{}', 'a:0:{}"lock_content"', "a:0:{}x", "a:1:{i:0;" * 30]
)
@pytest.mark.parametrize("name", ["um_content_restriction", "wpf-settings", "memberful_acl"])
def test_a_value_that_cannot_be_read_hides(tmp_path, name, value):
    assert read(tmp_path, **{name: value}).status == "draft"


def test_each_of_several_values_counts(tmp_path):
    extra = make_meta(**{"groups-read": ""}) + make_meta(**{"groups-read": "7"})
    (record,) = read_export(tmp_path, make_export(make_item(extra=extra)))
    assert record.status == "draft"


@pytest.mark.parametrize("post_type", ["page", "recipe"])
def test_the_fields_count_in_pages_and_other_types(tmp_path, post_type):
    item = make_item(post_type=post_type, extra=make_meta(_is_paid="1"))
    (record,) = read_export(tmp_path, make_export(item), post_types=("recipe",))
    assert record.status == "draft"


@pytest.mark.parametrize(
    ("metas", "status", "note"),
    [
        ({"_expiration-date": "1577836800", "_expiration-date-status": "saved"}, "archived",
         "It expired on 2020-01-01; the article was archived."),
        ({"_expiration-date": "4102444800", "_expiration-date-status": "saved"}, "published",
         "It was to expire on 2100-01-01; here it stays public."),
        ({"_expiration-date": "soon", "_expiration-date-status": "saved"}, "draft",
         "The date on which it expires is not understood; the article became a draft."),
        ({"_expiration-date": "9" * 19, "_expiration-date-status": "saved"}, "draft",
         "The date on which it expires is not understood; the article became a draft."),
        ({"_expiration-date": "1577836800"}, "published", ""),
        ({"_expiration-date": "1577836800", "_expiration-date-status": "saved", "_is_paid": "1"}, "draft",
         "It was only for members or subscribers (`_is_paid`); the article became a draft."),
    ],
)  # fmt: skip
def test_an_expiry_that_has_passed_archives_the_article(tmp_path, metas, status, note):
    record = read(tmp_path, **metas)
    assert (record.status, record.notes) == (status, (note,) if note else ())


@pytest.mark.parametrize(
    ("item", "plugin"),
    [
        *((make_item(post_type=name, post_id="9"), "MemberPress") for name in ("memberpressrule",)),
        (make_item(post_type="wc_membership_plan"), "WooCommerce Memberships"),
        (make_item(post_type="wc_user_membership"), "WooCommerce Memberships"),
        (make_item(extra=make_meta(_wc_memberships_force_public="no")), "WooCommerce Memberships"),
        (make_item(post_type="page", content="[pmpro_levels]"), "Paid Memberships Pro"),
        (make_item(post_type="swpm_transactions"), "Simple Membership"),
        (make_item(post_type="page", content="[swpm_login_form]"), "Simple Membership"),
        (make_item(post_type="page", content="[swpm_registration_form id=1]"), "Simple Membership"),
        (make_item(post_type="page", content="[wlm_register_Gold]"), "WishList Member"),
        (make_item(post_type="page", content="[s2Member-Profile /]"), "s2Member"),
        (make_item(post_type="aam_policy"), "Advanced Access Manager"),
        (make_item(post_type="cc_restriction"), "Content Control"),
        (make_item(post_type="restriction"), "Restrict User Access"),
        (make_item(post_type="page", content="[[pmpro_levels]] shows the levels."), ""),
        (make_item(post_type="page", content="[pmpro_levels]", status="draft"), ""),
        (make_item(content="We use [pmpro_levels] here."), ""),
        (make_item(post_type="acme_membership"), ""),
    ],
)
def test_plugins_whose_rules_are_not_in_the_file_are_named(tmp_path, item, plugin):
    source = open_export(tmp_path, make_export(make_item(post_id="30"), item))
    assert source.unread_rules == plugin
    assert "published" in [record.status for record in source.read()]


def test_the_plugins_of_all_files_are_named(tmp_path):
    items = [make_item(post_type=name, post_id="9") for name in ("wc_membership_plan", "memberpressrule")]
    source = open_export(tmp_path, *map(make_export, items))
    assert source.unread_rules == "MemberPress and WooCommerce Memberships"


def test_each_trace_of_a_plugin_has_an_example():
    parameters = test_plugins_whose_rules_are_not_in_the_file_are_named.pytestmark[0].args[1]
    examples = [item for item, plugin in parameters if plugin]
    names = [name for sign in UNREAD_RULE_PLUGINS for name in sign.names]
    assert [name for name in names if not any(name in item for item in examples)] == []
