"""The page with the versions of an article."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from tests.admin.browsing import list_violations
from tests.admin.demo import draw_picture
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def make_versions(api, title, **fields):
    """Create an article with two former versions, and return its uuid."""
    body = {"title": title, "content": "A hope.\n\n- one\n- two\n\nThe end.", "content_type": "markdown"}
    uuid = api.post("blog/articles/", body | fields)["uuid"]
    path = f"blog/articles/{uuid}/"
    api.patch(path, {"content": "A hope with a date on it.\n\n- one\n- two\n\nThe end."})
    api.patch(
        path,
        {"subtitle": "A drill", "content": "A hope, with a date on it.\n\n- one\n- two\n\nThe very end."},
    )
    return uuid


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
def test_a_version_shows_what_it_has_changed(api, open_admin, width, dark):
    from playwright.sync_api import expect

    uuid = make_versions(api, f"Shoebox {width}")
    page = open_admin(f"/admin/articles/{uuid}/history/", width=width, dark=dark)
    changes = page.get_by_role("region", name="Changes", exact=True)
    expect(changes.locator("ins")).to_have_text(["A drill", ",", "very "])
    assert changes.get_by_text("2 list items unchanged", exact=True).is_visible()
    assert changes.get_by_text(re.compile(r"^Now, (today|yesterday) \d\d:\d\d, by ida$")).is_visible()
    page.get_by_role("navigation", name="Versions").get_by_role("link").nth(1).click()
    expect(changes.locator("ins")).to_have_text([" with a date on it"])
    assert changes.get_by_text("5 words added, 0 removed", exact=True).is_visible()
    page.get_by_label("Compare with", exact=True).select_option("now")
    expect(changes.locator("ins")).to_have_text(["A drill", ",", "very "])
    # The newest version is compared with the one before it, whatever was chosen; the choice stays.
    versions = page.get_by_role("navigation", name="Versions").get_by_role("link")
    versions.first.click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_count(0)
    expect(changes.locator("ins")).to_have_text(["A drill", ",", "very "])
    versions.last.click()
    expect(page.get_by_label("Compare with", exact=True)).to_have_value("now")
    expect(changes.locator("ins")).to_have_text(["A drill", ", with a date on it", "very "])
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)


def test_a_version_gets_a_name(api, open_admin):
    uuid = make_versions(api, "Names")
    page = open_admin(f"/admin/articles/{uuid}/history/#2")
    page.get_by_role("button", name="Name this version", exact=True).click()
    page.get_by_label("Name", exact=True).fill("After the fire drill")
    page.get_by_role("button", name="Save name", exact=True).click()
    page.get_by_role("link", name=re.compile("After the fire drill")).wait_for()
    assert api.get(f"blog/articles/{uuid}/revisions/2/")["name"] == "After the fire drill"
    assert list_violations(page) == []


def test_a_version_of_a_draft_is_brought_back_and_the_edits_are_kept(api, open_admin):
    tag = api.post("blog/tags/", {"name": "rope"})
    uuid = make_versions(api, "Draft", tags=[tag], excerpt="Short.")
    api.delete(f"blog/tags/{tag['uuid']}/")
    api.put(f"blog/articles/{uuid}/working-copy/", {"title": "Draft", "content": "My edits."})
    page = open_admin(f"/admin/articles/{uuid}/history/#1")
    page.get_by_role("button", name="Bring back this version", exact=True).click()
    page.get_by_role("button", name="Open the article", exact=True).wait_for()
    article = api.get(f"blog/articles/{uuid}/?fields=content,excerpt,slug,tags")
    assert (article["excerpt"], article["slug"], article["tags"]) == ("Short.", "draft", [])
    assert article["content"].startswith("A hope.")
    page.get_by_role("link", name=re.compile(r"^ida, \d\d:\d\d")).click()
    page.get_by_text("My edits.").first.wait_for()


def test_a_version_is_brought_back_with_its_custom_fields(api, open_admin):
    fields = [{"name": name, "label": name, "type": "number"} for name in ("rating", "depth")]
    paths = [f"blog/fields/{api.post('blog/fields/', field)['uuid']}/" for field in fields]
    uuid = make_versions(api, "Fields", custom={"depth": 12})
    api.patch(f"blog/articles/{uuid}/", {"custom": {"rating": 5, "depth": 3}})
    # The value of the version to be brought back no longer fits.
    api.patch(paths[1], {"maximum": 10})
    page = open_admin(f"/admin/articles/{uuid}/history/#1")
    page.get_by_role("button", name="Bring back this version", exact=True).click()
    page.get_by_role("button", name="Open the article", exact=True).wait_for()
    article = api.get(f"blog/articles/{uuid}/?fields=content,custom")
    assert article["content"].startswith("A hope.")
    assert article["custom"] == {"depth": 3}
    for path in paths:
        api.delete(path)


def test_versions_are_in_order_of_time_and_show_no_keys(api, open_admin):
    uuid = make_versions(api, "Order", status="published")
    key = "7da5a3c2-0000-4000-8000-000000000001"
    edits = {"title": "Order", "content": "Discarded.", "translation_key": key}
    api.put(f"blog/articles/{uuid}/working-copy/", edits)
    api.delete(f"blog/articles/{uuid}/working-copy/")
    page = open_admin(f"/admin/articles/{uuid}/history/")
    versions = page.get_by_role("navigation", name="Versions").get_by_role("link")
    versions.first.wait_for()
    texts = versions.all_inner_texts()
    assert [text.startswith("Now") for text in texts] == [False, True, False, False]
    assert versions.nth(1).get_attribute("aria-current") == "true"
    versions.first.click()
    changes = page.get_by_role("region", name="Changes", exact=True)
    changes.get_by_text("Shared with its translations", exact=True).wait_for()
    assert key not in changes.inner_text() and "Discarded." in changes.inner_text()


def test_a_version_of_a_published_article_is_brought_back_as_edits(api, open_admin):
    uuid = make_versions(api, "Published", status="published")
    page = open_admin(f"/admin/articles/{uuid}/history/#1")
    page.get_by_text("If you bring a version back, readers see it only after you update").wait_for()
    page.get_by_role("button", name="Bring back this version", exact=True).click()
    page.get_by_text("not published yet").wait_for()
    assert api.get(f"blog/articles/{uuid}/")["content"].endswith("The very end.")
    assert api.get(f"blog/articles/{uuid}/working-copy/")["content"].startswith("A hope.")
    assert page.get_by_role("link", name=re.compile("^Published")).count() == 1


def test_the_version_that_readers_see_says_so_and_each_has_a_name(api, open_admin):
    uuid = make_versions(api, "Seen")
    page = open_admin(f"/admin/articles/{uuid}/history/")
    versions = page.get_by_role("navigation", name="Versions").get_by_role("link")
    versions.nth(1).wait_for()
    names = [text.split("\n")[0] for text in versions.all_inner_texts()]
    assert names == ["Now", "Saved on leaving", "Saved on leaving"]
    assert page.get_by_text("Readers see this").count() == 0
    api.patch(f"blog/articles/{uuid}/", {"status": "published"})
    api.put(f"blog/articles/{uuid}/working-copy/", {"title": "Seen", "content": "Edits."})
    page.reload()
    page.get_by_text("Readers see this").wait_for()
    texts = versions.all_inner_texts()
    assert [n for n, text in enumerate(texts) if "Readers see this" in text] == [1]
    assert texts[0].startswith("Now") and texts[1].startswith("Published")
    assert list_violations(page) == []
    api.patch(f"blog/articles/{uuid}/", {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"})
    page.reload()
    versions.first.wait_for()
    assert page.get_by_text("Readers see this").count() == 0


def test_a_change_of_the_status_names_its_version(api, open_admin):
    uuid = make_versions(api, "Named", status="published")
    for status in ("unlisted", "draft", "archived", "draft"):
        api.patch(f"blog/articles/{uuid}/", {"status": status})
    api.patch(f"blog/articles/{uuid}/", {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"})
    api.patch(f"blog/articles/{uuid}/", {"content": "Later."})
    api.patch(f"blog/articles/{uuid}/", {"content": "Last."})
    page = open_admin(f"/admin/articles/{uuid}/history/")
    versions = page.get_by_role("navigation", name="Versions").get_by_role("link")
    versions.nth(1).wait_for()
    names = [text.split("\n")[0] for text in versions.all_inner_texts()]
    changed = ["Saved", "Scheduled", "Draft again", "Archived", "Draft again", "Unlisted"]
    assert names[:7] == ["Now", *changed]
    assert names[7:] == ["Saved"] * (len(names) - 8) + ["Published"]


def test_values_are_compared_in_words(api, open_admin):
    from playwright.sync_api import expect

    rope, knot = (api.post("blog/tags/", {"name": name}) for name in ("Rope", "Knot"))
    made = api.post("blog/articles/", {"title": "Words", "content": "Text.", "tags": [rope, knot]})
    fields = {"robots": "noindex", "featured": True, "tags": [knot], "seo": {"title": "Found"}}
    api.patch(f"blog/articles/{made['uuid']}/", fields)
    api.delete(f"blog/tags/{rope['uuid']}/")
    page = open_admin(f"/admin/articles/{made['uuid']}/history/")
    changes = page.get_by_role("region", name="Changes", exact=True)
    expect(changes.get_by_role("heading")).to_have_text(
        ["Featured", "Search engines", "Tags", "Title for search engines"]
    )
    values = changes.locator(".version-value")
    expect(values.nth(0)).to_have_text("NoYes")
    expect(values.nth(1).locator("ins")).to_have_text("Do not show")
    expect(values.nth(2).locator("del")).to_have_text("a deleted tag, ")
    expect(values.nth(3)).to_have_text("Found")


def test_pictures_are_compared_as_pictures(api, open_admin):
    first, second = (
        api.send("POST", f"blog/media/?name={name}.jpg", data=draw_picture((60, 40), colour, "#000000"))[
            "url"
        ]
        for name, colour in (("one", "#ff0000"), ("two", "#00ff00"))
    )
    text = {"title": "Pictures", "content": f"![One]({first})", "content_type": "markdown"}
    uuid = api.post("blog/articles/", text | {"cover_image": first})["uuid"]
    api.patch(f"blog/articles/{uuid}/", {"cover_image": second, "content": f"![One]({second})"})
    page = open_admin(f"/admin/articles/{uuid}/history/")
    changes = page.get_by_role("region", name="Changes", exact=True)
    changes.get_by_role("img", name=f"Added: {second}").first.wait_for()
    for part, url in (("del", first), ("ins", second)):
        shown = changes.locator(f"{part} img")
        paths = shown.evaluate_all("(images) => images.map(({ src }) => new URL(src).pathname)")
        assert paths == [urlsplit(url).path] * 2
    assert list_violations(page) == []
    # The editor refers to pictures of the library by their uuid.
    reference = f"media:{api.get('blog/media/?q=one')[0]['uuid']}"
    api.patch(f"blog/articles/{uuid}/", {"content": f"![One]({reference})"})
    page.reload()
    added = changes.get_by_role("img", name=f"Added: {reference}")
    added.wait_for()
    wait_until(page, "document.querySelector('.version-text ins img').naturalWidth === 60")
    assert added.evaluate("({ src }) => new URL(src).pathname") == urlsplit(first).path


def test_an_article_without_former_versions_says_so(api, open_admin):
    uuid = api.post("blog/articles/", {"title": "New"})["uuid"]
    page = open_admin(f"/admin/articles/{uuid}/history/")
    page.get_by_role("heading", name="There is one version so far", exact=True).wait_for()


def test_a_version_that_was_written_with_a_key_names_the_key(api, open_admin):
    uuid = api.post("blog/articles/", {"title": "By hand", "content": "One."})["uuid"]
    key = api.post("auth/api-key/", {"name": "Writing assistant", "scopes": ["drafts"]})["public_state"]
    path, assistant = f"blog/articles/{uuid}/", {"X-API-KEY": key}
    api.patch(path, {"content": "Two."}, headers=assistant)
    api.patch(path, {"content": "Three."}, headers=assistant)
    api.patch(path, {"content": "Four."})
    api.patch(f"{path}working-copy/", {"content": "Five."}, headers=assistant)
    page = open_admin(f"/admin/articles/{uuid}/history/")
    versions = page.get_by_role("navigation", name="Versions").get_by_role("link")
    versions.first.wait_for()
    written_by = ["Writing assistant", "ida", "Writing assistant", "Writing assistant", "ida"]
    assert [by in text for by, text in zip(written_by, versions.all_inner_texts(), strict=True)] == [True] * 5
    page.get_by_text("by Writing assistant").wait_for()
    versions.nth(1).click()
    page.get_by_text("by ida").wait_for()
