"""The list of pages and the editor of a page, as an editor uses them."""

from __future__ import annotations

import pytest

from tests.admin.browsing import list_violations
from tests.admin.writing import unfold
from tests.browser import is_wider_than_the_window, wait_until

pytestmark = pytest.mark.sqlite("the pages use the API alone")

PAGES = "blog/pages/"


@pytest.fixture(autouse=True)
def no_pages(api):
    for page in api.get(f"{PAGES}?status=any"):
        api.delete(f"{PAGES}{page['uuid']}/")


def list_places(api):
    pages = api.get(f"{PAGES}?status=any")
    names = {page["uuid"]: page["title"] for page in pages}
    return {page["title"]: (names.get(page["parent"]), page["position"]) for page in pages}


def test_an_editor_writes_and_publishes_a_page(api, open_admin):
    for name, kind in (("rating", "article"), ("responsible", "page")):
        api.post("blog/fields/", {"name": name, "label": name.title(), "type": "text", "kinds": [kind]})
    page = open_admin("/admin/pages/")
    page.get_by_role("heading", name="No pages yet").wait_for()
    page.get_by_role("link", name="New page").click()
    page.get_by_role("textbox", name="Title", exact=True).fill("Imprint")
    for _ in range(2):
        page.keyboard.press("Enter")
    page.keyboard.type("Who is responsible.")
    wait_until(page, "/admin\\/pages\\/[0-9a-f-]{36}\\/$/.test(location.pathname)")
    page.get_by_role("button", name="Details", exact=True).click()
    page.get_by_role("combobox", name="Tags").wait_for()
    assert page.get_by_role("combobox", name="Category").count() == 0
    assert list_violations(page) == []
    # A page has the custom fields of pages, and not those of articles.
    assert page.get_by_role("textbox", name="Rating").count() == 0
    unfold(page, "Responsible")
    page.get_by_role("textbox", name="Responsible").fill("Ada")
    page.get_by_role("button", name="Publish", exact=True).click()
    dialog = page.get_by_role("dialog", name="Publish this page")
    dialog.get_by_text("for readers and search.").wait_for()
    dialog.get_by_role("button", name="Publish", exact=True).click()
    dialog.wait_for(state="detached")
    (stored,) = api.get(f"{PAGES}?fields=title,status,content,custom")
    custom = {"responsible": "Ada"}
    assert stored == {
        "title": "Imprint",
        "status": "published",
        "content": "Who is responsible.",
        "custom": custom,
    }
    # An edit of a public page is a working copy until it is published.
    page.get_by_role("textbox", name="Title", exact=True).fill("Imprint, new")
    page.get_by_role("button", name="Update", exact=True).click()
    dialog = page.get_by_role("dialog", name="Update this page")
    dialog.get_by_role("button", name="Update", exact=True).click()
    dialog.wait_for(state="detached")
    assert api.get(f"{PAGES}?fields=title") == [{"title": "Imprint, new"}]
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("heading", name="History").wait_for()
    page.get_by_role("link", name="Back to the page").click()
    page.get_by_role("link", name="Back to the pages").click()
    page.get_by_role("link", name="Imprint, new").wait_for()
    assert api.get("blog/articles/?status=any&q=Imprint") == []


def test_pages_are_a_tree_whose_places_change(api, open_admin):
    about = api.post(PAGES, {"title": "About", "status": "published"})
    team = api.post(PAGES, {"title": "Team", "status": "published", "parent": about["uuid"]})
    api.post(PAGES, {"title": "Ada", "parent": team["uuid"]})
    api.post(PAGES, {"title": "Contact", "status": "published", "position": 3})
    page = open_admin("/admin/pages/")
    page.get_by_role("link", name="Ada").wait_for()
    titles = "Array.from(document.querySelectorAll('.page-tree th a'), (link) => link.textContent)"
    assert page.evaluate(titles) == ["About", "Team", "Ada", "Contact"]
    assert list_violations(page) == []
    page.get_by_role("button", name="Actions for Team").click()
    page.get_by_role("menuitem", name="Move").click()
    dialog = page.get_by_role("dialog", name="Move “Team”")
    parent, place = (dialog.get_by_role("combobox", name=name) for name in ("Parent", "Place"))
    parent.get_by_role("option", name="Contact").wait_for(state="attached")
    assert parent.locator("option").all_inner_texts() == ["None", "About", "Contact"]
    assert place.locator("option").all_inner_texts() == ["First"]
    assert list_violations(page) == []
    # Another parent has other places; the last one is chosen.
    parent.select_option("None")
    assert place.locator("option").all_inner_texts() == ["First", "After “About”", "After “Contact”"]
    assert place.locator("option:checked").inner_text() == "After “Contact”"
    place.select_option("After “About”")
    parent.select_option("Contact")
    assert place.locator("option:checked").inner_text() == "First"
    dialog.get_by_role("button", name="Move").click()
    wait_until(page, f"{titles}.join() === 'About,Contact,Team,Ada'")
    assert list_places(api)["Team"] == ("Contact", 0)
    # Pages with the same position make room.
    page.get_by_role("button", name="Actions for Contact").click()
    page.get_by_role("menuitem", name="Move").click()
    dialog = page.get_by_role("dialog", name="Move “Contact”")
    place = dialog.get_by_role("combobox", name="Place")
    assert place.locator("option:checked").inner_text() == "After “About”"
    place.select_option("First")
    dialog.get_by_role("button", name="Move").click()
    wait_until(page, f"{titles}.join() === 'Contact,Team,Ada,About'")
    assert (list_places(api)["Contact"], list_places(api)["About"]) == ((None, 0), (None, 1))
    page.get_by_role("searchbox", name="Search pages").fill("team")
    page.get_by_role("link", name="About").wait_for(state="detached")
    page.get_by_role("searchbox", name="Search pages").fill("zzz")
    page.get_by_role("status").filter(has_text="No page contains “zzz”.").wait_for()
    page.get_by_role("searchbox", name="Search pages").fill("")
    page.get_by_role("link", name="About").wait_for()
    page.get_by_role("button", name="Actions for Team").click()
    page.get_by_role("menuitem", name="Delete page").click()
    page.get_by_text("“Team” deleted. 1 page is at the top now.").wait_for()
    assert list_places(api)["Ada"][0] is None
    page.get_by_role("button", name="Undo").click()
    wait_until(page, f"{titles}.join() === 'Contact,Team,Ada,About'")
    assert list_places(api)["Team"] == ("Contact", 0)
    assert api.get("blog/pages/team/?fields=uuid,status") == {"uuid": team["uuid"], "status": "published"}
    page.keyboard.press("Control+p")
    page.get_by_role("combobox", name="Page, action or article").fill("contac")
    page.get_by_role("option", name="Contact").wait_for()
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 320, "height": 700})
    assert list_violations(page) == [] and not is_wider_than_the_window(page)


def test_a_former_version_of_a_page_comes_back(api, open_admin):
    made = api.post(PAGES, {"title": "Imprint", "content": "First."})
    api.patch(f"{PAGES}{made['uuid']}/", {"content": "Second."})
    page = open_admin(f"/admin/pages/{made['uuid']}/history/#1")
    page.get_by_role("button", name="Bring back this version").click()
    wait_until(page, "location.hash === '' && document.querySelector('admin-page').busy === ''")
    assert api.get(f"{PAGES}{made['uuid']}/")["content"] == "First."


def test_a_page_says_where_it_is_and_a_translation_goes_below_that_of_the_page_above(api, open_admin):
    about = api.post(PAGES, {"title": "About", "translation_key": "about"})
    french = api.post(PAGES, {"title": "Le blog", "language": "fr", "translation_key": "about"})
    team = api.post(PAGES, {"title": "Team", "parent": about["uuid"], "position": 4})
    # Reports of imports lead to the editor of articles.
    page = open_admin(f"/admin/articles/{team['uuid']}/")
    page.wait_for_url(f"**/admin/pages/{team['uuid']}/")
    page.get_by_role("button", name="Details", exact=True).click()
    wait_until(page, "document.querySelector('#picker-Parent')?.value === 'About'")
    assert page.get_by_label("Place", exact=True).locator("option").all_inner_texts() == ["First"]
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Add a translation").click()
    page.get_by_role("dialog", name="Add a translation").get_by_label("Language").select_option("French")
    page.get_by_role("button", name="Create the draft").click()
    page.wait_for_url(lambda url: team["uuid"] not in url)
    copy = api.get(f"{PAGES}{page.url.split('/')[-2]}/?fields=parent,position,language")
    assert copy == {"parent": french["uuid"], "position": 4, "language": "fr"}
    # A duplicate has the same place, and is no translation.
    url = page.url
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    page.wait_for_url(lambda other: other != url)
    fields = "?fields=parent,position,language,translation_key"
    assert api.get(f"{PAGES}{page.url.split('/')[-2]}/{fields}") == copy | {"translation_key": ""}


def test_the_details_of_a_page_begin_with_its_place(api, open_admin):
    about, imprint = (
        api.post(PAGES, {"title": title, "status": "published"}) for title in ("About", "Imprint")
    )
    for title, parent in (("The people", about), ("Maps", None)):
        api.post(PAGES, {"title": title, "parent": parent and parent["uuid"], "position": 9})
    page = open_admin(f"/admin/pages/{imprint['uuid']}/", width=1600)
    page.get_by_role("button", name="Details", exact=True).click()
    parent, place = (page.get_by_role("combobox", name=name, exact=True) for name in ("Parent", "Place"))
    parent.wait_for()
    assert list_violations(page) == []
    labels = "[...document.querySelectorAll('.details label')].slice(0, 2).map(({ innerText }) => innerText)"
    assert page.evaluate(labels) == ["Parent", "Place"]
    # An edit that waits stays publishable after a move.
    page.get_by_role("textbox", name="Title", exact=True).fill("Imprint, new")
    parent.click()
    options = page.get_by_role("listbox", name="Parent", exact=True).get_by_role("option")
    assert [text.strip() for text in options.all_inner_texts()] == ["None", "About", "The people", "Maps"]
    options.nth(1).click()
    wait_until(
        page, "document.querySelector('#field-position').selectedOptions[0].text === 'After “The people”'"
    )
    assert list_places(api)["Imprint"] == ("About", 10)
    place.select_option("First")
    wait_until(page, "document.querySelector('admin-page').busy === ''")
    assert list_places(api)["Imprint"] == ("About", 0)
    parent.fill("no")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelector('#field-position').options.length === 3")
    page.get_by_role("button", name="Update", exact=True).click()
    dialog = page.get_by_role("dialog", name="Update this page")
    dialog.get_by_role("button", name="Update", exact=True).click()
    dialog.wait_for(state="detached")
    assert list_places(api) == {
        **{"About": (None, 0), "The people": ("About", 9), "Maps": (None, 9)},
        "Imprint, new": (None, 10),
    }
    # Pages with the same position make room.
    place.select_option("After “About”")
    wait_until(page, "document.querySelector('admin-page').busy === ''")
    assert list_places(api)["Imprint, new"] == (None, 1)
    place.select_option("First")
    wait_until(page, "document.querySelector('admin-page').busy === ''")
    assert (list_places(api)["Imprint, new"], list_places(api)["About"]) == ((None, 0), (None, 1))
    # Another user's change of the page is not overwritten.
    api.patch(f"{PAGES}{imprint['uuid']}/", {"content": "Theirs."})
    place.select_option("After “Maps”")
    page.get_by_text("It was changed in the meantime. Load the page again.").wait_for()
    assert place.locator("option:checked").inner_text() == "First"
    assert list_places(api)["Imprint, new"] == (None, 0)
    page.goto("/admin/pages/new/")
    page.get_by_role("button", name="Details", exact=True).click()
    parent.wait_for()
    assert place.locator("option").count() == 4
