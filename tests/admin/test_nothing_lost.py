"""The editor: what happens to texts and edits when something else changes or deletes the article."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations, wait_for_copied, wait_for_page
from tests.admin.test_editor import PIXEL
from tests.admin.writing import (
    ARTICLES,
    COPY,
    SAVED,
    TEXT,
    get_button,
    get_stored,
    get_text,
    is_read,
    lose_answer,
    save,
    type_at_end,
    unfold,
    wait_for_state,
)
from tests.browser import wait_for_first, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def choose(page, action):
    get_button(page, "More actions").click()
    page.get_by_role("menuitem", name=action, exact=True).click()


def edit(api, path, **fields):
    return api.put(f"{path}working-copy/", {"title": "Edited", "content_type": "markdown", **fields})


def test_the_history_waits_for_a_draft_that_is_stored_when_its_editor_is_left(api, open_admin, make):
    path = make("Left")
    edit(api, path, content="Stored meanwhile.")

    def publish_first(route):
        api.post(f"{path}working-copy/publish/", {"status": "draft"})
        route.continue_()

    page = open_admin("/admin/profile/")
    page.route(COPY, publish_first, times=1)
    page.goto(f"/admin/articles/{path.split('/')[2]}/history/")
    page.get_by_role("heading", name="History Edited", exact=True).wait_for()
    page.get_by_text("Stored meanwhile.").first.wait_for()


def test_discarded_edits_can_be_brought_back(api, write, make):
    path = make("Discard", status="published")
    page = write(path)
    type_at_end(page, "Waiting.")
    save(page)
    choose(page, "Discard the edits")
    wait_for_state(page, "Published")
    assert "Waiting." not in get_text(page).inner_text()
    [kept] = api.get(f"{path}revisions/?fields=content")
    assert kept["content"] == f"{TEXT}Waiting."
    # What is typed before the edits come back is in the history too.
    type_at_end(page, "Between.")
    get_button(page, "Undo").click()
    get_text(page).get_by_text("Waiting.").wait_for()
    save(page)
    wait_for_state(page, "Published, edits since")
    assert get_stored(api, path) == f"{TEXT}Waiting."
    contents = [version["content"] for version in api.get(f"{path}revisions/?fields=content")]
    assert contents == [f"{TEXT}Between.", f"{TEXT}Waiting."]


def test_leaving_asks_if_the_browser_cannot_keep_the_text(write, make):
    page = write(make("Full"))
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }")
    page.context.set_offline(True)
    type_at_end(page, "Typed offline.")
    wait_for_state(page, "Offline: not kept, copy your text")
    questions = []
    page.on("dialog", lambda dialog: (questions.append(dialog.type), dialog.dismiss()))
    page.close(run_before_unload=True)
    assert wait_for_first(page, questions) == "beforeunload"
    assert get_text(page).inner_text().endswith("Typed offline.")


@pytest.mark.parametrize("status", ["draft", "published", "archived"])
def test_a_preview_link_applies_no_edits(api, write, make, status):
    path = make(f"Share {status}", status=status)
    page = write(path)
    if status == "published":
        get_button(page, "More actions").click()
        page.get_by_role("menuitem", name="Unpublish", exact=True).wait_for()
        assert page.get_by_role("menuitem", name="Copy a preview link", exact=True).count() == 0
        page.keyboard.press("Escape")
    type_at_end(page, "For your eyes.")
    before = api.get(f"{path}?fields=*,last_updated")
    choose(page, "Copy a preview link")
    page.get_by_text("can read this article until").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert api.get(f"{path}?fields=*,last_updated") == before
    assert get_stored(api, path) == f"{TEXT}For your eyes."
    page.goto(link)
    page.get_by_text("For your eyes.").wait_for()


@pytest.mark.parametrize("side", ["Preview", "Details"])
def test_a_taken_slug_is_named_where_one_publishes(api, write, make, side):
    slug = f"taken-{side.lower()}"
    make("Taken", slug=slug, status="published")
    path = make("Mine")
    edit(
        api, path, slug=slug, content='<script src="a"></script>\n\n<iframe src="https://a.example"></iframe>'
    )
    page = write(path)
    words = f"This address is taken. “{slug}-2” is free."
    get_button(page, "Details").click()
    page.get_by_role("region", name="Details", exact=True).get_by_text(words).wait_for()
    get_button(page, side).click()
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    popover.get_by_text(words).wait_for()
    assert popover.locator(".address").count() == 0
    assert popover.get_by_text("Readers do not get <script>. Show", exact=True).is_visible()
    embedded = "Readers do not get <iframe>: of embedded pages, only players of known sites are shown. Show"
    assert popover.get_by_text(embedded, exact=True).is_visible()
    popover.get_by_role("button", name="Publish", exact=True).click()
    popover.get_by_role("alert").get_by_text("is taken").wait_for()
    assert list_violations(page) == []
    assert api.get(f"{path}?fields=status") == {"status": "draft"}


def test_the_text_of_an_article_that_is_deleted_meanwhile_is_saved_as_a_new_one(api, write, make):
    path = make("Deleted")
    page = write(path)
    type_at_end(page, "Mine.")
    save(page)
    api.delete(path)
    type_at_end(page, " More.")
    page.keyboard.press("Control+s")
    page.get_by_text("This article was deleted while you were writing.", exact=True).wait_for()
    wait_for_state(page, "Not saved: the article was deleted")
    assert list_violations(page) == []
    get_button(page, "Copy my text").click()
    wait_for_copied(page)
    assert page.evaluate("navigator.clipboard.readText()") == f"{TEXT}Mine. More."
    get_button(page, "Save as a new article").click()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    [article] = api.get(f"{ARTICLES}?status=draft&slug=deleted&fields=uuid,title,content")
    assert (article["title"], article["content"]) == ("Deleted", f"{TEXT}Mine. More.")
    assert article["uuid"] != path.split("/")[2] and article["uuid"] in page.url
    assert not page.get_by_text("This article was deleted").is_visible()
    # The focus is in the text, where it was.
    wait_until(page, "document.activeElement.matches('.cm-content')")
    page.keyboard.insert_text(" Still.")
    save(page)
    assert get_stored(api, f"{ARTICLES}{article['uuid']}/") == f"{TEXT}Mine. More. Still."


@pytest.mark.parametrize("is_changed", [True, False])
def test_an_open_tab_restores_a_deleted_article_with_its_text(api, write, make, is_changed):
    path = make(f"Deleted {is_changed}", status="published")
    page = write(path)
    type_at_end(page, "Mine.")
    save(page)
    before = api.get(f"{path}?fields=status,published_at,slug")
    api.delete(path)
    if is_changed:
        type_at_end(page, " More.")
        page.keyboard.press("Control+s")
    else:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.get_by_text("This article was deleted while you were writing.", exact=True).wait_for()
    if is_changed:
        wait_for_state(page, "Not saved: the article was deleted")
    else:
        # The text equals what was last stored, so it is not called unsaved, and nothing of it is kept here.
        page.get_by_role("banner").get_by_text(SAVED).wait_for()
        page.get_by_text("Your text was saved before.", exact=True).wait_for()
        assert not page.evaluate("Object.keys(localStorage).some((key) => key.includes('journal'))")
    assert list_violations(page) == []
    get_button(page, "Restore").click()
    page.get_by_text("This article was deleted while you were writing.", exact=True).wait_for(state="hidden")
    wait_for_state(page, "Published, edits since")
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}Mine.{' More.' if is_changed else ''}"
    assert api.get(f"{path}?fields=status,published_at,slug") == before


@pytest.mark.parametrize("action", ["publish", "return to the tab", "report that it is open"])
def test_a_saved_text_whose_article_is_deleted_is_offered_too(api, write, make, action):
    path = make(f"Deleted before I {action}")
    page = write(path)
    # The report that the article is open comes with the page, and is not refused yet.
    wait_until(page, "performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/open/'))")
    api.delete(path)
    if action == "publish":
        get_button(page, "Publish").click()
        popover = page.get_by_role("dialog", name="Publish this article", exact=True)
        popover.get_by_role("button", name="Publish", exact=True).click()
        popover.get_by_role("alert").get_by_text("This article was deleted").wait_for()
        page.keyboard.press("Escape")
    else:
        if action == "report that it is open":
            # The page loads nothing, but its next report is refused.
            page.route(
                f"**/{path}*",
                lambda route: route.abort() if route.request.method == "GET" else route.fallback(),
            )
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    get_button(page, "Save as a new article").click()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    [article] = api.get(f"{ARTICLES}?status=draft&q={action.split()[0]}&fields=title,content")
    assert article == {"title": f"Deleted before I {action}", "content": TEXT}


@pytest.mark.parametrize("was_noticed", [True, False])
def test_the_text_of_a_deleted_article_is_offered_everywhere_afterwards(
    api, open_admin, write, make, was_noticed
):
    path = make(f"Gone {was_noticed}")
    other = make("Not gone")
    first = write(other)
    first.route(COPY, lambda route: route.abort())
    type_at_end(first, "Kept elsewhere.")
    first.keyboard.press("Control+s")
    wait_for_state(first, "Offline: kept in this browser")
    page = write(path)
    if was_noticed:
        api.delete(path)
    else:
        page.route(COPY, lambda route: route.abort())
    type_at_end(page, "Only here.")
    page.keyboard.press("Control+s")
    wait_until(page, "Object.values(localStorage).some((value) => value.includes('Only here.'))")
    wait_for_state(
        page, "Not saved: the article was deleted" if was_noticed else "Offline: kept in this browser"
    )
    page.close()
    first.close()
    if not was_noticed:
        api.delete(path)
    for address in ("/admin/", "/admin/articles/", f"/admin/articles/{path.split('/')[2]}/"):
        page = open_admin(address)
        kept = page.locator(
            "section", has=page.get_by_role("heading", name="Kept in this browser", exact=True)
        )
        kept.get_by_role("link", name=f"Gone {was_noticed}", exact=True).wait_for()
        assert kept.get_by_role("link").count() == 1
    if was_noticed:
        assert list_violations(page) == []
    kept.get_by_role("link").click()
    page.wait_for_url("**/admin/articles/new/")
    get_button(page, "Use it").click()
    page.get_by_role("banner").get_by_text(SAVED).wait_for()
    [article] = api.get(f"{ARTICLES}?status=draft&slug=gone-{was_noticed}".lower() + "&fields=title,content")
    assert article == {"title": f"Gone {was_noticed}", "content": f"{TEXT}Only here."}
    page.goto("/admin/")
    page.get_by_role("heading", name="Overview", exact=True).wait_for()
    assert not page.get_by_text("Kept in this browser").is_visible()


def test_a_new_article_offers_no_text_that_the_blog_has(api, open_admin):
    page = open_admin("/admin/articles/new/")
    page.get_by_role("textbox", name="Title", exact=True).fill("Stored without an answer")
    get_text(page).focus()
    page.route("**/blog/articles/**", lose_answer)
    page.keyboard.insert_text("All of it.")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    kept = "Object.keys(localStorage).filter((key) => key.includes('journal')).length"
    assert page.evaluate(kept) == 1
    [article] = api.get(f"{ARTICLES}?status=draft&q=Stored+without&fields=content")
    assert article == {"content": "All of it."}
    page.close()
    page = open_admin("/admin/articles/new/")
    wait_until(page, f"{kept} === 0")
    assert not page.get_by_text("This browser has kept").is_visible()


def test_addresses_are_those_of_the_api(api, write, make):
    from playwright.sync_api import expect

    api.patch("blog/site/", {"url": "https://blog.example", "article_path": "/{year}/{slug}.html"})
    make("Addresses")
    path = make("Addresses")
    page = write(path)
    year = page.evaluate("new Date().getFullYear()")
    get_button(page, "Details").click()
    details = page.get_by_role("region", name="Details", exact=True)
    address = f"https://blog.example/{year}/addresses-2.html"
    unfold(page, "Address")
    unfold(page, "Search and cards")
    expect(details.locator(".address")).to_have_text(address)
    expect(details.locator(".host")).to_have_text([address, "blog.example"])
    slug = details.get_by_role("textbox", name="Address", exact=True)
    expect(slug).to_have_attribute("placeholder", "addresses-2")
    slug.fill("my-address")
    get_button(page, "Publish").click()
    popover = page.get_by_role("dialog", name="Publish this article", exact=True)
    expect(popover.locator(".address")).to_have_text(f"https://blog.example/{year}/my-address.html")
    popover.get_by_role("radio", name="Later", exact=True).check()
    popover.get_by_label("Date", exact=True).fill("2099-11-29")
    expect(popover.locator(".address")).to_have_text("https://blog.example/2099/my-address.html")
    popover.get_by_role("button", name="Cancel", exact=True).click()
    expect(details.locator(".address")).to_have_text(f"https://blog.example/{year}/my-address.html")
    api.patch("blog/site/", {"url": "", "article_path": "/articles/{slug}/"})


def test_text_that_is_not_saved_is_not_replaced_when_the_tab_is_shown_again(api, write, make):
    path = make("Hidden tab")
    page = write(path)
    page.route(COPY, lambda route: route.abort())
    type_at_end(page, "Not sent.")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.keyboard.press("Control+s")
    wait_for_state(page, "Offline: kept in this browser")
    api.patch(path, {"content": "Elsewhere."})
    with page.expect_response("**/blog/authors/**"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    assert "Not sent." in get_text(page).inner_text()
    assert page.evaluate("Object.values(localStorage).some((value) => value.includes('Not sent.'))")
    page.unroute(COPY)
    page.keyboard.press("Control+s")
    page.get_by_role("dialog", name="Join your two texts", exact=True).wait_for()


@pytest.mark.parametrize(
    ("address", "is_kept"),
    [("/media/a.mp4", True), ("//other.example/a.mp4", False), ("https://other.example/a.mp4", False)],
)
def test_the_preview_loads_nothing_from_other_hosts(open_admin, write, make, address, is_kept):
    asked = []
    context = open_admin.get_context("ida")
    context.route("**/a.mp4", lambda route: (asked.append(route.request.url), route.fulfill(body=""))[1])
    page = write(make(f"Player {is_kept}", content=f'Film <video src="{address}" controls></video>'))
    get_button(page, "Preview").click()
    assert is_read(page, "Film")
    page.get_by_text("Film").last.wait_for()
    shown = page.locator(".reading").locator("video, a.frame")
    assert shown.evaluate("(element) => element.localName") == ("video" if is_kept else "a")
    assert shown.get_attribute("src" if is_kept else "href") == address
    assert all(url.startswith(open_admin.origin) for url in asked)


# First the other's text is kept, then the own.
@pytest.mark.parametrize("failing", [1, 2])
def test_texts_that_cannot_be_kept_are_not_replaced_by_the_joined_text(write, make, api, failing):
    path = make(f"Kept first {failing}")
    mine, theirs = write(path), write(path, user="marit")
    type_at_end(theirs, "Marit.")
    save(theirs)
    type_at_end(mine, "Ida.")
    mine.keyboard.press("Control+s")
    dialog = mine.get_by_role("dialog", name="Join your text and marit’s", exact=True)
    dialog.get_by_role("radio", name="Both", exact=True).check()
    saves, kept = [], []
    mine.on("request", lambda request: saves.append(request.url) if request.method == "PUT" else None)

    def keep(route):
        kept.append(route.request.url)
        route.abort() if len(kept) == failing else route.continue_()

    mine.route("**/revisions/", keep)
    dialog.get_by_role("button", name="Save the article", exact=True).click()
    mine.locator(".toast").get_by_text("The blog does not answer.").wait_for()
    assert (saves, len(kept), get_stored(api, path)) == ([], failing, f"{TEXT}Marit.")
    assert "Ida." in get_text(mine).inner_text()
    get_button(mine, "Conflict: choose a version").click()
    dialog.get_by_role("radio", name="Both", exact=True).check()
    dialog.get_by_role("button", name="Save the article", exact=True).click()
    mine.get_by_role("banner").get_by_text(SAVED).wait_for()
    assert get_stored(api, path) == f"{TEXT}Marit.\nIda."


def test_an_upload_that_fails_shows_its_problem_and_can_be_repeated(write, make):
    page = write(make("Upload"))
    get_button(page, "Picture").click()
    dialog = page.get_by_role("dialog", name="Add a picture", exact=True)
    page.route("**/blog/media/?name=dot.png", lambda route: route.abort(), times=2)
    file = {"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL}
    dialog.get_by_label("Upload from this device").set_input_files(file)
    problem = dialog.get_by_text("The blog does not answer. “Insert” tries again.", exact=True)
    problem.wait_for()
    with page.expect_event("requestfailed"):
        dialog.get_by_role("button", name="Insert", exact=True).click()
    problem.wait_for()
    with page.expect_response("**/blog/media/?name=dot.png"):
        dialog.get_by_role("button", name="Insert", exact=True).click()
    dialog.wait_for(state="hidden")


def test_a_refused_picture_shows_why_when_it_is_sent_and_when_it_is_sent_again(write, make):
    page = write(make("Refused"))
    get_button(page, "Picture").click()
    dialog = page.get_by_role("dialog", name="Add a picture", exact=True)
    # Nothing else renders the page again, as a lost connection or the report of who is here does.
    page.route("**/open/", lambda route: None)
    answers = iter([f"Reason {number}" for number in (1, 2)])
    body = {"code": "invalid", "status": 422, "title": "Invalid"}
    page.route(
        "**/blog/media/?name=dot.png",
        lambda route: route.fulfill(
            status=422, json=body | {"detail": next(answers)}, content_type="application/problem+json"
        ),
        times=2,
    )
    file = {"name": "dot.png", "mimeType": "image/png", "buffer": PIXEL}
    dialog.get_by_label("Upload from this device").set_input_files(file)
    dialog.get_by_text("Reason 1", exact=True).wait_for()
    insert = dialog.get_by_role("button", name="Insert", exact=True)
    insert.click()
    dialog.get_by_text("Reason 2", exact=True).wait_for()
    insert.click()
    dialog.wait_for(state="hidden")


def test_the_fields_of_the_details_have_their_help(write, make):
    page = write(make("Help"))
    get_button(page, "Details").click()
    helps = {
        "Excerpt": "Made from the text until you write one",
        "Address": "old address keeps leading here.",
        "Canonical address": "Only if it was published elsewhere first.",
    }
    for label, text in helps.items():
        help_id = page.get_by_label(label, exact=True).get_attribute("aria-describedby").split()[0]
        assert page.locator(f"[id='{help_id}']").text_content().strip().endswith(text), label
    page.get_by_label("Excerpt", exact=True).fill("Twelve chars")
    page.get_by_text("12 of 160", exact=True).first.wait_for()
    assert page.get_by_text(helps["Excerpt"], exact=True).count() == 0


RELOAD = "document.querySelector('admin-page').reloadPage()"


def test_two_failed_loads_at_once_do_not_load_the_page_again_after_a_third_succeeds(api, write, make):
    path = make("Two failed loads")
    page = write(path)
    page.context.route("**/api/**", lambda route: route.abort())
    page.reload()
    page.get_by_text("The blog does not answer.", exact=True).wait_for()
    page.evaluate(f"Promise.all([{RELOAD}, {RELOAD}])")
    page.context.unroute_all()
    get_button(page, "Try now").click()
    get_text(page).wait_for()
    # A timer that still ran would load the page at once.
    page.evaluate("document.querySelector('admin-page').wait = 0")
    loads = []
    page.on("request", lambda request: loads.append(request.url) if f"{path}?" in request.url else None)
    type_at_end(page, "Typed after it.")
    page.wait_for_timeout(2500)
    assert loads == []
    save(page)
    assert get_stored(api, path) == f"{TEXT}Typed after it."


def test_a_slow_load_does_not_replace_what_was_typed_after_a_later_load(api, open_admin, make):
    path = make("Slow load")
    page, slow = open_admin("/admin/profile/"), []
    page.route(f"**/{path}?*", lambda route: slow.append(route), times=1)
    page.goto(f"/admin/articles/{path.split('/')[2]}/")
    wait_for_first(page, slow)
    page.evaluate(RELOAD)
    type_at_end(page, "Typed.")
    with page.expect_response(f"**/{path}?*"):
        slow[0].continue_()
    page.evaluate("async () => (await fetch('/robots.txt')).text()")
    page.wait_for_timeout(300)
    assert "Typed." in get_text(page).inner_text()
    save(page)
    assert get_stored(api, path) == f"{TEXT}Typed."


def test_the_first_page_of_another_user_shows_no_text_of_the_former_user(api, open_admin, write, make):
    path = make("Secret plan")
    page = write(path)
    page.route(COPY, lambda route: route.abort())
    type_at_end(page, "Only here.")
    wait_until(page, "Object.values(localStorage).some((value) => value.includes('Only here.'))")
    page.close()
    api.delete(path)
    kept = "Kept in this browser"
    # The user is still signed in, and then another user signs in, in the same browser.
    page = open_admin("/admin/articles/")
    page.get_by_role("heading", name=kept, exact=True).wait_for()
    stored = page.evaluate("({ ...localStorage })")
    other = open_admin("/robots.txt", user="marit")
    other.evaluate("(stored) => Object.assign(localStorage, stored)", stored)
    other.goto("/admin/articles/")
    wait_for_page(other)
    assert not other.get_by_text(kept).is_visible()
    assert not other.get_by_text("Secret plan").count()
