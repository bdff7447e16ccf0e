"""Blogs of many systems whose texts hide something, or only seem to.

The text of the case s01 contains HUSHs01HUSH. Cases that are "made up" are of the kind of a real one with
another name.
"""

# ruff: noqa: E501 (the exports are long lines)

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from pathlib import Path

HIDE, PUBLIC = "hide", "public"
PLAIN_FOLDER = "md-plain"
#: Cases about which the rules decide otherwise: "none" = the case is none.
EXCEPTIONS = {
    **dict.fromkeys(("b23", "b24", "b33", "f11", "f13", "k29", "t02", "t04", "t08"), "none"),
    **dict.fromkeys(("c01", "c02", "c03", "s29"), HIDE),
}


def _link(case: str, time: str) -> str:
    return f' on <a href="https://medium.com/p/{case}">{time}</a>' if time else ""


def write_cases(folder: Path) -> dict[str, str]:
    """Write the sources into a folder, each as a file or folder; return HIDE or PUBLIC for each case."""
    expected: dict[str, str] = {}

    def want(case: str, result: str, why: str) -> None:
        assert case not in expected and why
        expected[case] = result

    # ---------- WordPress
    items = []

    def sc(i, open_, close, expect, why, extra=""):
        body = f"Opening words of {i}.\n\n{open_}HUSH{i}HUSH the kept words.{close}\n\nClosing words."
        items.append((i, body, "", ""))
        want(i, expect, why)

    def blk(i, body, expect, why):
        items.append(
            (
                i,
                f"<!-- wp:paragraph --><p>Opening words of {i}.</p><!-- /wp:paragraph -->\n\n"
                + body.replace("@", f"HUSH{i}HUSH the kept words."),
                "",
                "",
            )
        )
        want(i, expect, why)

    def meta(i, pairs, expect, why):
        m = "".join(
            f"<wp:postmeta><wp:meta_key><![CDATA[{k}]]></wp:meta_key><wp:meta_value><![CDATA[{v}]]></wp:meta_value></wp:postmeta>"
            for k, v in pairs
        )
        items.append((i, f"<p>HUSH{i}HUSH the kept words.</p>", m, ""))
        want(i, expect, why)

    sc("s01", '[groups_can capability="read_x"]', "[/groups_can]", HIDE, "Groups (known)")
    sc("s02", '[um_show_content roles="um_member"]', "[/um_show_content]", HIDE, "Ultimate Member (known)")
    sc("s03", '[DAP hasAccessTo="1,2" errMsgTemplate="SHORT"]', "[/DAP]", HIDE, "Digital Access Pass")
    sc("s04", '[am4show have="3"]', "[/am4show]", HIDE, "aMember")
    sc("s05", "[am4guest]", "[/am4guest]", PUBLIC, "aMember, guests")
    sc("s07", "[memb_has_any_tag tagid=12]", "[/memb_has_any_tag]", HIDE, "Memberium")
    sc("s08", "[i4w_hasAnyTag 12,13]", "[/i4w_hasAnyTag]", HIDE, "iMember360")
    sc("s10", "[if is_user_logged_in]", "[/if]", HIDE, "If Shortcode")
    sc("s11", "[hidepost=1]", "[/hidepost]", HIDE, "Hidepost")
    sc("s13", '[um_user_can role="x"]', "[/um_user_can]", HIDE, "made-up form of groups_can")
    sc("s14", '[user_can capability="edit_posts"]', "[/user_can]", HIDE, "role plugins")
    sc("s15", '[section visibility="hidden"]', "[/section]", HIDE, "Flatsome: hidden on all devices")
    sc("s16", '[section visibility="hide-for-small"]', "[/section]", PUBLIC, "Flatsome: phones only")
    rl = base64.b64encode(
        json.dumps(
            [{"operator": "or", "comparison": "equal", "field": "user_state", "desired": "1", "value": ""}]
        ).encode()
    ).decode()
    sc(
        "s17",
        f'[fusion_builder_container hide_on_mobile="small-visibility,medium-visibility,large-visibility" status="published" render_logics="{rl}"][fusion_text]',
        "[/fusion_text][/fusion_builder_container]",
        HIDE,
        "Avada rendering logic",
    )
    sc(
        "s18",
        '[fusion_builder_container hide_on_mobile="small-visibility,medium-visibility,large-visibility" status="published"][fusion_text]',
        "[/fusion_text][/fusion_builder_container]",
        PUBLIC,
        "Avada default attributes",
    )
    sc("s19", '[content_upgrade id="12"]', "[/content_upgrade]", PUBLIC, "box with a form (debatable)")
    sc("s20", '[pay amount="5"]', "[/pay]", HIDE, "pay-per-view plugins")
    sc("s21", '[unlock lock="0xabc"]', "[/unlock]", HIDE, "Unlock Protocol style")
    sc("s22", '[onlyfor group="gold"]', "[/onlyfor]", HIDE, "only for a group")
    sc("s23", '[show_to accesslevel="subscriber"]', "[/show_to]", HIDE, "show to a level")
    sc("s24", '[show_if user_is="logged_in"]', "[/show_if]", HIDE, "conditions of page builders")
    sc("s25", '[ultimatemember_restrict roles="x"]', "[/ultimatemember_restrict]", HIDE, "control (restrict)")
    sc("s26", '[su_lightbox_content id="x" ]', "[/su_lightbox_content]", PUBLIC, "harmless")
    sc("s27", '[timeline_item level="2"]', "[/timeline_item]", PUBLIC, "harmless, level")
    sc("s28", '[gem_team_person role="Director"]', "[/gem_team_person]", PUBLIC, "harmless, role of a person")
    sc("s29", "[private_jet_offer]", "[/private_jet_offer]", PUBLIC, "harmless word private (debatable)")
    sc(
        "s30",
        '[et_pb_section fb_built="1" disabled_on="on|on|off"][et_pb_text]',
        "[/et_pb_text][/et_pb_section]",
        PUBLIC,
        "Divi, desktop only",
    )
    sc("s31", "[tcb-logged-in]", "[/tcb-logged-in]", HIDE, "Thrive Architect style")
    sc("s32", '[wpcode_unlocked_for plan="gold"]', "[/wpcode_unlocked_for]", HIDE, "plan=")
    sc("s33", "[bot_only]", "[/bot_only]", HIDE, "for bots only (made up)")
    sc("s35", '[badgeos_unlocked achievement="3"]', "[/badgeos_unlocked]", HIDE, "BadgeOS")
    sc("s37", "[vip-content]", "[/vip-content]", HIDE, "control (vip)")
    blk(
        "b01",
        '<!-- wp:unlock-protocol/unlock-box {"locks":[{"network":1,"address":"0xabc"}]} --><div class="wp-block-unlock-protocol-unlock-box"><p>@</p></div><!-- /wp:unlock-protocol/unlock-box -->',
        HIDE,
        "Unlock Protocol",
    )
    blk(
        "b02",
        '<!-- wp:paragraph {"monetizeBlockDisplay":"show-monetized-users"} --><p>@</p><!-- /wp:paragraph -->',
        HIDE,
        "Coil: paying visitors",
    )
    blk(
        "b03",
        '<!-- wp:paragraph {"monetizeBlockDisplay":"hide-monetized-users"} --><p>@</p><!-- /wp:paragraph -->',
        PUBLIC,
        "Coil: not for paying visitors",
    )
    blk(
        "b04",
        '<!-- wp:paragraph {"editorskit":{"devices":false,"desktop":true,"tablet":true,"mobile":true,"loggedin":true,"loggedout":false,"acf_visibility":"","acf_field":"","migrated":false,"unit_test":false}} --><p>@</p><!-- /wp:paragraph -->',
        HIDE,
        "EditorsKit: logged in only",
    )
    blk(
        "b05",
        '<!-- wp:paragraph {"editorskit":{"devices":false,"desktop":true,"tablet":true,"mobile":true,"loggedin":true,"loggedout":true,"acf_visibility":"","acf_field":"","acf_condition":"","migrated":false,"unit_test":false}} --><p>@</p><!-- /wp:paragraph -->',
        PUBLIC,
        "EditorsKit defaults",
    )
    blk(
        "b06",
        '<!-- wp:paragraph {"advgbBlockControls":[{"control":"user_role","enabled":true,"roles":["administrator"],"approach":"include"}]} --><p>@</p><!-- /wp:paragraph -->',
        HIDE,
        "PublishPress Blocks",
    )
    blk(
        "b07",
        '<!-- wp:paragraph {"advgbBlockControls":[{"control":"schedule","enabled":false,"dateFrom":null,"dateTo":null}]} --><p>@</p><!-- /wp:paragraph -->',
        PUBLIC,
        "PublishPress Blocks, off",
    )
    blk(
        "b08",
        '<!-- wp:uagb/advanced-heading {"UAGDisplayConditions":"userstate","UAGLoggedOut":true} --><p>@</p><!-- /wp:uagb/advanced-heading -->',
        HIDE,
        "Spectra: hide from logged out",
    )
    blk(
        "b09",
        '<!-- wp:uagb/advanced-heading {"UAGDisplayConditions":"userstate","UAGLoggedIn":true} --><p>@</p><!-- /wp:uagb/advanced-heading -->',
        PUBLIC,
        "Spectra: hide from logged in",
    )
    blk(
        "b10",
        '<!-- wp:wp-fusion/secure-block {"tag":"12","tag_not":""} --><div><p>@</p></div><!-- /wp:wp-fusion/secure-block -->',
        HIDE,
        "WP Fusion secure block",
    )
    blk(
        "b11",
        '<!-- wp:sensei-lms/conditional-content {"condition":"ENROLLED"} --><div><p>@</p></div><!-- /wp:sensei-lms/conditional-content -->',
        HIDE,
        "Sensei",
    )
    blk(
        "b12",
        '<!-- wp:newsletterglue/show-hide-content {"showblog":false,"showemail":true} --><div><p>@</p></div><!-- /wp:newsletterglue/show-hide-content -->',
        HIDE,
        "Newsletter Glue: in the mail only",
    )
    blk(
        "b13",
        '<!-- wp:group {"displayFor":"members"} --><div><p>@</p></div><!-- /wp:group -->',
        HIDE,
        "displayFor members",
    )
    blk(
        "b15",
        '<!-- wp:group {"allowedRoles":["subscriber"]} --><div><p>@</p></div><!-- /wp:group -->',
        HIDE,
        "allowedRoles",
    )
    blk(
        "b16",
        '<!-- wp:group {"hideFromVisitors":true} --><div><p>@</p></div><!-- /wp:group -->',
        HIDE,
        "hideFromVisitors",
    )
    blk(
        "b17",
        '<!-- wp:group {"membershipLevels":[3]} --><div><p>@</p></div><!-- /wp:group -->',
        HIDE,
        "membershipLevels",
    )
    blk(
        "b18",
        "<!-- wp:myplugin/members-only --><div><p>@</p></div><!-- /wp:myplugin/members-only -->",
        HIDE,
        "block named members-only",
    )
    blk(
        "b19",
        '<!-- wp:acme/paywall {"price":"5"} --><div><p>@</p></div><!-- /wp:acme/paywall -->',
        HIDE,
        "block named paywall",
    )
    blk(
        "b20",
        "<!-- wp:acme/restricted-content --><div><p>@</p></div><!-- /wp:acme/restricted-content -->",
        HIDE,
        "block named restricted-content",
    )
    blk(
        "b21",
        '<!-- wp:premium/heading {"block_id":"x"} --><h2>@</h2><!-- /wp:premium/heading -->',
        PUBLIC,
        "Premium Blocks plugin, harmless",
    )
    blk(
        "b22",
        '<!-- wp:group {"lock":{"move":true,"remove":true},"metadata":{"name":"Members only teaser"}} --><div><p>@</p></div><!-- /wp:group -->',
        PUBLIC,
        "core lock, name",
    )
    blk("b23", "<!-- wp:surecart/price-choice --><!-- /wp:surecart/price-choice -->", HIDE, "SureMembers")
    blk(
        "b24",
        '<!-- wp:group {"className":"logged-in-only"} --><div class="wp-block-group logged-in-only"><p>@</p></div><!-- /wp:group -->',
        HIDE,
        "class logged-in-only (debatable)",
    )
    blk("b25", "<!-- wp:html --><dialog><p>@</p></dialog><!-- /wp:html -->", HIDE, "closed <dialog>")
    blk("b26", "<!-- wp:html --><template><p>@</p></template><!-- /wp:html -->", HIDE, "<template>")
    blk(
        "b27",
        '<!-- wp:html --><div style="visibility:hidden"><p>@</p></div><!-- /wp:html -->',
        HIDE,
        "visibility:hidden",
    )
    blk("b28", "<!-- wp:html --><noscript><p>@</p></noscript><!-- /wp:html -->", HIDE, "<noscript>")
    blk(
        "b29",
        '<!-- wp:html --><div style="position:absolute;left:-9999px"><p>@</p></div><!-- /wp:html -->',
        HIDE,
        "off-screen text (spam)",
    )
    blk(
        "b30",
        '<!-- wp:html --><object data="x.pdf"><p>@</p></object><!-- /wp:html -->',
        PUBLIC,
        "fallback of <object> (debatable)",
    )
    blk(
        "b31",
        '<!-- wp:html --><script type="text/template"><p>@</p></script><!-- /wp:html -->',
        HIDE,
        "script template",
    )
    blk("b32", "<!-- wp:html --><textarea hidden>@</textarea><!-- /wp:html -->", HIDE, "hidden textarea")
    blk(
        "b33",
        '<!-- wp:html --><div class="d-none hidden"><p>@</p></div><!-- /wp:html -->',
        HIDE,
        "class hidden (debatable)",
    )
    meta("m01", [("_is4wp_any_loggedin_user", "1")], HIDE, "Memberium")
    meta("m02", [("_is4wp_membership_levels", "3,4")], HIDE, "Memberium")
    meta(
        "m03",
        [("ure_prohibit_allow_flag", "2"), ("ure_content_for_roles", "subscriber")],
        HIDE,
        "User Role Editor Pro",
    )
    meta(
        "m04",
        [
            ("laterpay_post_prices", 'a:2:{s:4:"type";s:16:"individual price";s:5:"price";s:4:"1.99";}'),
            ("laterpay_post_teaser", "Teaser"),
        ],
        HIDE,
        "LaterPay",
    )
    meta("m05", [("_coil_monetize_post_status", "gate-all")], HIDE, "Coil")
    meta("m06", [("_coil_monetize_post_status", "no-gating")], PUBLIC, "Coil, public")
    meta("m07", [("wp_protect_password_multiple_passwords", 'a:1:{i:0;s:3:"abc";}')], HIDE, "PPWP")
    meta(
        "m08",
        [
            ("_fl_builder_enabled", "1"),
            (
                "_fl_builder_data",
                'a:1:{s:3:"abc";O:8:"stdClass":2:{s:4:"type";s:6:"module";s:8:"settings";O:8:"stdClass":2:{s:18:"visibility_display";s:9:"logged_in";s:4:"text";s:4:"HUSH";}}}',
            ),
        ],
        HIDE,
        "Beaver Builder: logged in",
    )
    meta(
        "m09",
        [
            ("_fl_builder_enabled", "1"),
            (
                "_fl_builder_data",
                'a:1:{s:3:"abc";O:8:"stdClass":2:{s:4:"type";s:6:"module";s:8:"settings";O:8:"stdClass":2:{s:18:"visibility_display";s:0:"";s:4:"text";s:4:"HUSH";}}}',
            ),
        ],
        PUBLIC,
        "Beaver Builder, always",
    )
    meta(
        "m10",
        [
            ("_elementor_edit_mode", "builder"),
            (
                "_elementor_data",
                json.dumps(
                    [
                        {
                            "id": "a",
                            "elType": "container",
                            "settings": {
                                "e_display_conditions": [
                                    '[{"condition":"login_status","comparator":"is","users":"logged_in"}]'
                                ]
                            },
                            "elements": [
                                {
                                    "id": "b",
                                    "elType": "widget",
                                    "widgetType": "text-editor",
                                    "settings": {"editor": "HUSHm10HUSH"},
                                }
                            ],
                        }
                    ]
                ),
            ),
        ],
        HIDE,
        "Elementor display condition",
    )
    meta(
        "m11",
        [
            ("_elementor_edit_mode", "builder"),
            (
                "_elementor_data",
                json.dumps(
                    [
                        {
                            "id": "a",
                            "elType": "container",
                            "settings": {
                                "hide_desktop": "hidden-desktop",
                                "hide_tablet": "hidden-tablet",
                                "hide_mobile": "hidden-mobile",
                            },
                            "elements": [
                                {
                                    "id": "b",
                                    "elType": "widget",
                                    "widgetType": "text-editor",
                                    "settings": {"editor": "HUSHm11HUSH"},
                                }
                            ],
                        }
                    ]
                ),
            ),
        ],
        HIDE,
        "Elementor hidden on all devices",
    )
    meta(
        "m12",
        [
            ("_elementor_edit_mode", "builder"),
            (
                "_elementor_data",
                json.dumps(
                    [
                        {
                            "id": "a",
                            "elType": "container",
                            "settings": {"hide_mobile": "hidden-mobile"},
                            "elements": [
                                {
                                    "id": "b",
                                    "elType": "widget",
                                    "widgetType": "text-editor",
                                    "settings": {"editor": "HUSHm12HUSH"},
                                }
                            ],
                        }
                    ]
                ),
            ),
        ],
        PUBLIC,
        "Elementor, phones only",
    )
    meta("m14", [("_members_only", "yes")], HIDE, "generic _members_only")
    meta("m15", [("restrict_access", "1")], HIDE, "generic restrict_access")
    meta("m16", [("_post_visibility", "logged_in")], HIDE, "generic visibility")
    meta("m17", [("_paywall_enabled", "1")], HIDE, "generic paywall")
    meta("m19", [("required_plan", "gold")], HIDE, "generic plan")
    meta(
        "m20",
        [
            ("_yoast_wpseo_content_score", "30"),
            ("_edit_last", "1"),
            ("et_pb_post_hide_nav", "default"),
            ("_et_pb_role_restrict", ""),
        ],
        PUBLIC,
        "harmless meta",
    )
    meta(
        "m21",
        [("_post_restored_from", "a:3:{}"), ("hide_title", "1"), ("_hide_featured_image", "yes")],
        PUBLIC,
        "harmless: hide title",
    )
    meta(
        "m22",
        [("sidebar_visibility", "hidden"), ("header_visibility", "visible")],
        PUBLIC,
        "harmless: visibility of a sidebar",
    )
    meta(
        "m23",
        [("private_notes", "call the printer"), ("access_by_bus", "line 5")],
        PUBLIC,
        "harmless: words in own fields",
    )
    meta("m24", [("_tribe_events_hide_from_upcoming", "yes")], PUBLIC, "harmless: lists only")
    out = [
        '<?xml version="1.0" encoding="UTF-8" ?><rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/"><channel><title>Lab</title><link>https://lab.example</link><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>https://lab.example</wp:base_site_url><wp:base_blog_url>https://lab.example</wp:base_blog_url><wp:author><wp:author_login>ada</wp:author_login><wp:author_display_name>Ada</wp:author_display_name></wp:author>'
    ]
    for n, (i, body, m, _) in enumerate(items, 1):
        out.append(
            f"<item><title>Post {i}</title><link>https://lab.example/{i}/</link><dc:creator>ada</dc:creator><content:encoded><![CDATA[{body}]]></content:encoded><excerpt:encoded></excerpt:encoded><wp:post_id>{n}</wp:post_id><wp:post_date>2020-01-{n % 28 + 1:02d} 10:00:00</wp:post_date><wp:post_date_gmt>2020-01-{n % 28 + 1:02d} 10:00:00</wp:post_date_gmt><wp:post_name>post-{i}</wp:post_name><wp:status>publish</wp:status><wp:post_parent>0</wp:post_parent><wp:post_type>post</wp:post_type><wp:post_password></wp:post_password>{m}</item>"
        )
    out.append("</channel></rss>")
    (folder / "wp.xml").write_text("".join(out), encoding="utf-8")

    # ---------- Markdown, by root
    def md(root, path, fm, body, expect, why, i):
        f = folder / root / path
        f.parent.mkdir(parents=True, exist_ok=True)
        b = body.replace("@", f"HUSH{i}HUSH the kept words.") if body else f"HUSH{i}HUSH the kept words."
        f.write_text(
            f"---\ntitle: Post {i}\ndate: 2020-02-02\n{fm}---\n\nOpening words.\n\n{b}\n", encoding="utf-8"
        )
        want(i, expect, why)

    for n, (fm, e, why) in enumerate(
        [
            ("publication_status: draft\n", HIDE, "publication_status"),
            ("publicationState: DRAFT\n", HIDE, "publicationState (GraphCMS, Strapi)"),
            ("editorial_status: draft\n", HIDE, "editorial_status"),
            ("post_state: draft\n", HIDE, "post_state"),
            ("brouillon: true\n", HIDE, "French"),
            ("entwurf: true\n", HIDE, "German"),
            ("borrador: true\n", HIDE, "Spanish"),
            ("草稿: true\n", HIDE, "Chinese"),
            ("statut: brouillon\n", HIDE, "French status"),
            ("estado: borrador\n", HIDE, "Spanish status"),
            ("veröffentlicht: false\n", HIDE, "German published"),
            ("publié: non\n", HIDE, "French published"),
            ("公開: false\n", HIDE, "Japanese published"),
            ("write: false\n", HIDE, "DocPad"),
            ("url: false\n", HIDE, "Lume: not written"),
            ("eleventyComputed:\n  permalink: false\n", HIDE, "Eleventy computed"),
            ("_draft: true\n", HIDE, "_draft"),
            ("draft_status: true\n", HIDE, "draft_status"),
            ("is_published: 0\n", HIDE, "is_published 0"),
            ("not_published: true\n", HIDE, "not_published"),
            ("is_live: false\n", HIDE, "is_live"),
            ("hide_post: true\n", HIDE, "hide_post"),
            ("hideFromSite: true\n", HIDE, "hideFromSite"),
            ("noindex: true\n", PUBLIC, "robots only"),
            ("draftable: true\n", PUBLIC, "harmless"),
            ("private_repo: https://x.example\n", PUBLIC, "harmless"),
            ("members: [Ada, Bob]\n", PUBLIC, "names of a band"),
            ("premium: false\n", PUBLIC, "off"),
            ("status: fertig\n", PUBLIC, "German 'done' (debatable)"),
            ("password_hint: none\n", PUBLIC, "harmless"),
            ("visible_from: 2999-01-01\n", HIDE, "date, control"),
            ("online: false\n", HIDE, "online false"),
            ("show: false\n", HIDE, "show false"),
            ("display: false\n", HIDE, "display false"),
            ("publishable: no\n", HIDE, "control"),
            ("classification: confidential\n", HIDE, "classification"),
            ("subscription: paid\n", HIDE, "subscription paid"),
            ("for: subscribers\n", HIDE, "for subscribers"),
            ("price: 5\n", PUBLIC, "price of a thing"),
        ],
        1,
    ):
        i = f"k{n:02d}"
        md(PLAIN_FOLDER, f"posts/{i}.md", fm, "", e, fm.strip().replace("\n", " ") + " - " + why, i)
    for n, (path, e, why) in enumerate(
        [
            ("posts/brouillons/f01.md", HIDE, "folder brouillons"),
            ("posts/Entwürfe/f02.md", HIDE, "folder Entwürfe"),
            ("posts/wip/f03.md", HIDE, "folder wip"),
            ("posts/_unfinished/f04.md", HIDE, "folder _unfinished"),
            ("posts/.trash/f05.md", HIDE, "folder .trash"),
            ("posts/draft-f06.md", HIDE, "name draft-… (debatable)"),
            ("posts/f07.draft.md", HIDE, "name x.draft.md"),
            ("posts/_f08.md", HIDE, "name _x.md"),
            ("posts/f09.md.bak", HIDE, "x.md.bak"),
            ("posts/f10 (conflicted copy 2020-01-01).md", PUBLIC, "copy (debatable)"),
            ("posts/templates/f11.md", PUBLIC, "folder templates (debatable)"),
            ("posts/草稿/f12.md", HIDE, "folder 草稿"),
            ("posts/_archive/f13.md", PUBLIC, "folder _archive (debatable)"),
            ("posts/unpublished-notes/f14.md", HIDE, "folder unpublished-notes"),
            ("posts/DRAFT f15.md", HIDE, "name DRAFT x"),
        ],
        1,
    ):
        md(PLAIN_FOLDER, path, "", "", e, why, f"f{n:02d}")
    for n, (body, e, why) in enumerate(
        [
            ("{::comment}\n@\n{:/comment}", HIDE, "kramdown comment"),
            ("{/* @ */}", HIDE, "MDX comment in .md (debatable)"),
            ("{# @ #}", HIDE, "Nunjucks/Twig/Tera comment"),
            ("{{!-- @ --}}", HIDE, "Handlebars comment"),
            ("{{< comment >}}\n@\n{{< /comment >}}", HIDE, "Docsy comment"),
            ("{{% comment %}}\n@\n{{% /comment %}}", HIDE, "Docsy comment %"),
            ("{{/* @ */}}", HIDE, "Hugo comment"),
            ("{% if false %}@{% endif %}", HIDE, "Liquid if false"),
            ("::: {.content-hidden}\n@\n:::", HIDE, "Quarto content-hidden"),
            ('::: {.content-visible when-format="pdf"}\n@\n:::', HIDE, "Quarto, PDF only"),
            ("::: {.hidden}\n@\n:::", HIDE, "Quarto hidden"),
            ("[//]: # (@)", HIDE, "Markdown comment"),
            ("<SignedIn>\n\n@\n\n</SignedIn>", HIDE, "Clerk, MDX"),
            ('<Protect plan="gold">\n\n@\n\n</Protect>', HIDE, "Clerk, MDX"),
            ("<SubscriberOnly>\n\n@\n\n</SubscriberOnly>", HIDE, "MDX"),
            ("<Gated>\n\n@\n\n</Gated>", HIDE, "MDX"),
            ("<LoggedIn>\n\n@\n\n</LoggedIn>", HIDE, "MDX"),
            ("{{< hidden >}}\n@\n{{< /hidden >}}", HIDE, "Hugo shortcode hidden"),
            ("{{< draft >}}\n@\n{{< /draft >}}", HIDE, "Hugo shortcode draft"),
            ("{{< subscriber >}}\n@\n{{< /subscriber >}}", HIDE, "Hugo shortcode subscriber"),
            ("{{< loggedin >}}\n@\n{{< /loggedin >}}", HIDE, "Hugo shortcode loggedin"),
            (":::hidden\n@\n:::", HIDE, "directive hidden"),
            ("<dialog>\n@\n</dialog>", HIDE, "closed dialog"),
            ("<template>\n@\n</template>", HIDE, "template"),
            ("{% hidden %}\n@\n{% endhidden %}", HIDE, "Liquid block hidden"),
            ("{% if user.member %}@{% endif %}", HIDE, "Liquid if user.member"),
            ("{{#if @member}}@{{/if}}", HIDE, "Ghost theme condition"),
            ("<details><summary>More</summary>\n\n@\n\n</details>", PUBLIC, "details"),
            (":::spoiler\n@\n:::", PUBLIC, "spoiler"),
            ("<!-- truncate -->\n\n@", PUBLIC, "truncate"),
            ("{% paidcontent %}\n@\n{% endpaidcontent %}", HIDE, "Liquid paidcontent"),
            ("<!-- paid -->\n@\n<!-- /paid -->", HIDE, "comment paid"),
            ("<!-- members -->\n@", HIDE, "comment members"),
            ("<!-- private -->\n@\n<!-- /private -->", HIDE, "comment private"),
        ],
        1,
    ):
        i = f"t{n:02d}"
        md(PLAIN_FOLDER, f"posts/{i}.md", "", body.replace("@member", "\x01member"), e, why, i)
        p = folder / PLAIN_FOLDER / "posts" / f"{i}.md"
        p.write_text(p.read_text(encoding="utf-8").replace("\x01", "@"), encoding="utf-8")

    # Sites whose configuration shows drafts, and other configurations
    def site(root, files):
        for k, v in files.items():
            f = folder / root / k
            f.parent.mkdir(parents=True, exist_ok=True)
            f.write_text(v, encoding="utf-8")

    site(
        "hugo-drafts",
        {"hugo.toml": 'baseURL = "https://a.example"\nbuildDrafts = true\nbuildFuture = true\n'},
    )
    md(
        "hugo-drafts",
        "content/posts/c01.md",
        "draft: true\n",
        "",
        PUBLIC,
        "Hugo buildDrafts = true: was public",
        "c01",
    )
    site(
        "hexo-drafts",
        {
            "_config.yml": "title: x\nrender_drafts: true\nurl: https://b.example\n",
            "package.json": '{"dependencies":{"hexo":"7"}}',
            "source/_posts/c99.md": "---\ntitle: c99\ndate: 2020-01-01\n---\nx\n",
        },
    )
    md("hexo-drafts", "source/_drafts/c02.md", "", "", PUBLIC, "Hexo render_drafts: true: was public", "c02")
    site(
        "jekyll-limit",
        {"_config.yml": "title: x\nshow_drafts: true\nurl: https://c.example\n", "Gemfile": 'gem "jekyll"\n'},
    )
    md("jekyll-limit", "_drafts/c03.md", "", "", PUBLIC, "Jekyll show_drafts: true: was public", "c03")
    site(
        "lume",
        {
            "_config.ts": 'import lume from "lume/mod.ts";\nconst site = lume();\nsite.ignore("README.md", "hold");\nexport default site;\n',
            "deno.json": '{"imports":{"lume/":"https://deno.land/x/lume/"}}',
        },
    )
    md("lume", "posts/_c04.md", "", "", HIDE, "Lume: names with _", "c04")
    md("lume", "hold/c05.md", "", "", HIDE, "Lume: site.ignore", "c05")
    site(
        "hugo-casc",
        {
            "hugo.toml": 'baseURL = "https://d.example"\n',
            "content/secret/_index.md": "---\ntitle: S\ncascade:\n  - build:\n      render: never\n      list: never\n---\n",
        },
    )
    md("hugo-casc", "content/secret/c06.md", "", "", HIDE, "Hugo cascade build.render never", "c06")
    site(
        "hugo-toml",
        {
            "hugo.toml": 'baseURL = "https://e.example"\n[[cascade]]\n[cascade._target]\npath = "/hold/**"\n[cascade.params]\n[cascade.build]\nrender = "never"\n'
        },
    )
    md(
        "hugo-toml",
        "content/hold/c07.md",
        "",
        "",
        HIDE,
        "Hugo cascade in the configuration, build.render never",
        "c07",
    )
    site("gitbook", {"SUMMARY.md": "# Summary\n\n* [Listed](listed.md)\n", ".gitbook.yaml": "root: ./\n"})
    md("gitbook", "c08.md", "", "", HIDE, "GitBook: file that SUMMARY.md does not list", "c08")
    md("gitbook", "listed.md", "", "", PUBLIC, "GitBook: listed", "c97")
    site(
        "mdbook",
        {
            "book.toml": '[book]\ntitle = "x"\nsrc = "src"\n',
            "src/SUMMARY.md": "# Summary\n\n- [Listed](listed.md)\n",
        },
    )
    md("mdbook", "src/c09.md", "", "", HIDE, "mdBook: file that SUMMARY.md does not list", "c09")
    md("mdbook", "src/listed.md", "", "", PUBLIC, "mdBook: listed", "c98")
    site(
        "nikolax",
        {
            "conf.py": 'BLOG_TITLE = "x"\nSITE_URL = "https://n.example/"\nPOSTS = (("posts/*.md", "posts", "post.tmpl"),)\n'
        },
    )
    f = folder / "nikolax/posts/c10.md"
    f.parent.mkdir(parents=True, exist_ok=True)
    f.write_text(
        "<!--\n.. title: Post c10\n.. slug: c10\n.. date: 2020-01-01\n.. password: abc\n-->\nHUSHc10HUSH the kept words.\n"
    )
    want("c10", HIDE, "Nikola password")

    # ---------- Ghost
    def ghost(name, posts, settings=()):
        (folder / f"{name}.json").write_text(
            json.dumps(
                {
                    "db": [
                        {
                            "meta": {"exported_on": 1700000000000, "version": "5.80.0"},
                            "data": {
                                "posts": posts,
                                "tags": [],
                                "posts_tags": [],
                                "users": [{"id": "1", "name": "Ada", "slug": "ada"}],
                                "posts_authors": [],
                                "settings": list(settings),
                                "posts_meta": [],
                            },
                        }
                    ]
                }
            )
        )

    def gp(i, expect, why, **kw):
        want(i, expect, why)
        base = {
            "id": i,
            "uuid": "",
            "title": f"Post {i}",
            "slug": f"post-{i}",
            "html": f"<p>HUSH{i}HUSH words.</p>",
            "status": "published",
            "visibility": "public",
            "type": "post",
            "published_at": "2020-03-03T10:00:00.000Z",
            "created_at": "2020-03-03T10:00:00.000Z",
            "updated_at": "2020-03-03T10:00:00.000Z",
        }
        base.update(kw)
        return base

    def lex(*ch):
        return json.dumps(
            {
                "root": {
                    "children": [
                        {
                            "type": "paragraph",
                            "children": [{"type": "text", "text": "Opening words.", "version": 1}],
                            "version": 1,
                        },
                        *ch,
                    ],
                    "type": "root",
                    "version": 1,
                }
            }
        )

    def hush(i):
        return f"<p>HUSH{i}HUSH words.</p>"

    gs = [
        gp("g01", HIDE, "visibility none (unknown)", visibility="none"),
        gp(
            "g02",
            HIDE,
            "lexical only: email card",
            html=None,
            lexical=lex({"type": "email", "html": hush("g02"), "version": 1}),
        ),
        gp(
            "g03",
            HIDE,
            "lexical only: email-cta",
            html=None,
            lexical=lex({"type": "email-cta", "html": hush("g03"), "segment": "status:free", "version": 1}),
        ),
        gp(
            "g04",
            HIDE,
            "lexical only: html card, nonMember false",
            html=None,
            lexical=lex(
                {
                    "type": "html",
                    "html": hush("g04"),
                    "visibility": {
                        "web": {"nonMember": False, "memberSegment": "status:free,status:-free"},
                        "email": {"memberSegment": ""},
                    },
                    "version": 1,
                }
            ),
        ),
        gp(
            "g05",
            HIDE,
            "lexical only: html card, showOnWeb false",
            html=None,
            lexical=lex(
                {
                    "type": "html",
                    "html": hush("g05"),
                    "visibility": {"showOnEmail": True, "showOnWeb": False, "segment": ""},
                    "version": 1,
                }
            ),
        ),
        gp(
            "g06",
            HIDE,
            "lexical only: callout, nonMember false",
            html=None,
            lexical=lex(
                {
                    "type": "callout",
                    "calloutText": hush("g06"),
                    "visibility": {"web": {"nonMember": False, "memberSegment": "status:free"}},
                    "version": 1,
                }
            ),
        ),
        gp(
            "g07",
            HIDE,
            "lexical only: below the paywall card",
            html=None,
            lexical=lex(
                {"type": "paywall", "version": 1},
                {"type": "paragraph", "children": [{"type": "text", "text": "HUSHg07HUSH words."}]},
            ),
        ),
        gp(
            "g08",
            HIDE,
            "mobiledoc only: email card",
            html=None,
            mobiledoc=json.dumps(
                {
                    "version": "0.3.1",
                    "atoms": [],
                    "cards": [["email", {"html": hush("g08")}]],
                    "markups": [],
                    "sections": [[1, "p", [[0, [], 0, "Opening words."]]], [10, 0]],
                }
            ),
        ),
        gp("g09", PUBLIC, "control"),
        gp(
            "g10",
            HIDE,
            "published without a time, null",
            status="published",
            published_at="2999-01-01T00:00:00.000Z",
        ),
        gp(
            "g11",
            HIDE,
            "html with gated block, attribute order",
            html='<p>Opening.</p><!--kg-gated-block:begin memberSegment:"status:free" nonMember:false --><p>HUSHg11HUSH</p><!--kg-gated-block:end-->',
        ),
    ]
    ghost("ghost1", gs)
    ghost(
        "ghost2",
        [gp("g20", HIDE, "settings is_private: the whole site has a password")],
        [
            {"key": "is_private", "value": "true"},
            {"key": "password", "value": "x"},
            {"key": "title", "value": "P"},
        ],
    )
    # ---------- Substack
    rows = []
    substack_folder = folder / "substack"
    (substack_folder / "posts").mkdir(parents=True)

    def sub(
        i,
        expect,
        why,
        published="true",
        audience="everyone",
        type="newsletter",
        date="2020-04-04T10:00:00.000Z",
        html=None,
    ):
        want(i, expect, why)
        rows.append(
            f"{100 + len(rows)}.post-{i},{date},{published},{date},2020,{type},{audience},Post {i},sub,"
        )
        (substack_folder / "posts" / f"{100 + len(rows) - 1}.post-{i}.html").write_text(
            html or f"<p>Opening. HUSH{i}HUSH words.</p>"
        )

    sub("u01", HIDE, "audience founding_only (unknown)", audience="founding_only")
    sub("u02", HIDE, "is_published empty", published="")
    sub("u03", PUBLIC, "is_published TRUE", published="TRUE")
    sub("u04", HIDE, "future", date="2999-01-01T00:00:00.000Z")
    sub(
        "u05",
        HIDE,
        "div class paywall with further classes",
        html='<p>Opening.</p><div data-x="1" class="foo paywall bar"></div><p>HUSHu05HUSH</p>',
    )
    sub("u06", HIDE, "is_published 0", published="0")
    sub("u07", PUBLIC, "control")
    sub("u08", HIDE, "audience empty (unknown)", audience="")
    (substack_folder / "posts.csv").write_text(
        "post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url\n"
        + "\n".join(rows)
        + "\n"
    )
    # ---------- Medium
    medium_folder = folder / "medium/posts"
    medium_folder.mkdir(parents=True)

    def medium(
        name,
        i,
        expect,
        why,
        time='<time class="dt-published" datetime="2020-05-05T10:00:00.000Z">May 5, 2020</time>',
        foot=True,
    ):
        want(i, expect, why)
        f = (
            f'<footer><p>By <a href="https://medium.com/@ada" class="p-author h-card">Ada</a>{_link(i, time)}.</p><p><a href="https://medium.com/@ada/{i}-abc123" class="p-canonical">Canonical link</a></p><p>Exported from <a href="https://medium.com">Medium</a> on May 6, 2020.</p></footer>'
            if foot
            else '<footer><p>Exported from <a href="https://medium.com">Medium</a> on May 6, 2020.</p></footer>'
        )
        (medium_folder / name).write_text(
            f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>Post {i}</title></head><body><article class="h-entry"><header><h1 class="p-name">Post {i}</h1></header><section data-field="body" class="e-content"><section class="section"><div class="section-content"><p>Opening. HUSH{i}HUSH words.</p></div></section></section>{f}</article></body></html>'
        )

    medium("2020-05-05_Post-d01-abc.html", "d01", PUBLIC, "control")
    medium("2020-05-05_Post-d02-abc.html", "d02", HIDE, "no time of publication, no draft_ prefix", time="")
    medium("Draft_Post-d03-abc.html", "d03", HIDE, "Draft_ capital", time="")
    medium("2020-05-05_Post-d04.html", "d04", HIDE, "no canonical link, no time", foot=False)
    # ---------- Notion
    notion_folder = folder / "notion"
    (notion_folder / "Blog").mkdir(parents=True)

    def notion(i, props, expect, why):
        want(i, expect, why)
        h = hashlib.md5(i.encode(), usedforsecurity=False).hexdigest()
        (notion_folder / "Blog" / f"Post {i} {h}.md").write_text(
            f"# Post {i}\n\n"
            + "".join(f"{k}: {v}\n" for k, v in props.items())
            + f"\nOpening. HUSH{i}HUSH words.\n"
        )

    nn = {
        "n01": ({"Status": "Published", "Date": "January 5, 2020"}, PUBLIC, "control"),
        "n02": (
            {"Status": "Published", "Visibility": "Members", "Date": "January 5, 2020"},
            HIDE,
            "Published, Visibility Members",
        ),
        "n03": ({"Status": "Published", "Publish Date": "January 5, 2999"}, HIDE, "future Publish Date"),
        "n04": ({"Status": "Published", "Paid": "Yes", "Date": "January 5, 2020"}, HIDE, "Paid: Yes"),
        "n05": ({"Published": "Yes", "Date": "January 5, 2020"}, PUBLIC, "Published: Yes"),
        "n06": ({"Statut": "Publié", "Date": "5 janvier 2020"}, PUBLIC, "French Publié (false draft)"),
        "n07": ({"Status": "Published", "Archived": "Yes", "Date": "January 5, 2020"}, HIDE, "Archived"),
        "n08": (
            {"Status": "Published", "Access": "Subscribers only", "Date": "January 5, 2020"},
            HIDE,
            "Access: Subscribers only",
        ),
        "n09": ({"Status": "Published", "Draft": "Yes", "Date": "January 5, 2020"}, HIDE, "Draft: Yes"),
        "n10": ({"Status": "Published", "Password": "abc", "Date": "January 5, 2020"}, HIDE, "Password"),
    }
    for i, (p, e, w) in nn.items():
        notion(i, p, e, w)
    cols = [
        "Name",
        "Status",
        "Date",
        "Visibility",
        "Publish Date",
        "Paid",
        "Published",
        "Statut",
        "Archived",
        "Access",
        "Draft",
        "Password",
    ]
    b = io.StringIO()
    w = csv.writer(b)
    w.writerow(cols)
    for i, (p, _, _) in nn.items():
        w.writerow([f"Post {i}"] + [p.get(c, "") for c in cols[1:]])
    (notion_folder / f"Blog {hashlib.md5(b'db', usedforsecurity=False).hexdigest()}.csv").write_text(
        b.getvalue(), encoding="utf-8"
    )

    decided = expected | EXCEPTIONS
    return {case: result for case, result in decided.items() if result != "none"}
