"""Signing in, users, the own profile and keys, as a person does it."""

from __future__ import annotations

import re

import pytest

from blogapi.accounts.users import links
from blogapi.web.access import SCOPES
from tests.admin.blogs import PASSWORD, serve_blog
from tests.admin.browsing import AdminPages, list_violations, wait_for_copied, wait_for_page
from tests.browser import is_wider_than_the_window, wait_for_first, wait_until
from tests.mail_server import run_mail_server

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def get_by_name(api, name):
    return next(user for user in api.get("users/") if user["username"] == name)


def get_author(api, name):
    return next(author["uuid"] for author in api.get("blog/authors/") if author["name"] == name)


def fill_in_and_send(page, action, **values):
    for name, value in values.items():
        page.get_by_role("textbox", name=name.replace("_", " ").capitalize(), exact=True).fill(value)
    page.get_by_role("button", name=action, exact=True).click()


def test_a_person_signs_in_and_comes_to_the_page_that_they_wanted(api, open_admin):
    page = open_admin("/admin/keys/", user="")
    page.wait_for_url("**/admin/sign-in/?next=*")
    page.get_by_text("Whoever runs the server can print").wait_for()
    fill_in_and_send(page, "Sign in", name="ida", password="not this one")
    page.get_by_role("alert").get_by_text("The user name or the password is wrong.").wait_for()
    fill_in_and_send(page, "Sign in", password=PASSWORD)
    page.wait_for_url("**/admin/keys/")
    page.get_by_role("heading", name="Keys", exact=True).wait_for()
    days = [cookie["expires"] for cookie in page.context.cookies()]
    assert len(days) == 1 and days[0] > 0


def test_a_person_does_not_stay_signed_in_on_a_strange_computer(api, open_admin):
    # The overview of an empty blog leads to another page.
    api.post("blog/articles/", {"title": "Not empty"})
    page = open_admin("/admin/sign-in/?next=https://evil.example/", user="", width=390)
    assert page.locator("#field-password").bounding_box()["height"] >= 44
    page.get_by_role("checkbox", name="Stay signed in on this device").uncheck()
    page.get_by_role("button", name="Show password").click()
    assert page.get_by_label("Password", exact=True).get_attribute("type") == "text"
    fill_in_and_send(page, "Sign in", name="ida", password=PASSWORD)
    # Chromium would not close a tab that is on its way.
    page.wait_for_url(f"{open_admin.origin}/admin/")
    wait_for_page(page)
    assert [cookie["expires"] for cookie in page.context.cookies()] == [-1]


def test_the_first_admin_is_made_with_the_link_of_the_server(browser, tmp_path):
    with serve_blog(tmp_path / "instance") as blog:
        with blog.app.app_context():
            path = links.create_setup_link().path
        pages = AdminPages(browser, blog)
        page = pages("/admin/sign-in/", user="")
        page.get_by_text("No admin can sign in yet.").wait_for()
        page.goto(path)
        fill_in_and_send(page, "Create admin", name="ida", new_password="short")
        page.get_by_role("alert").get_by_text("Must have 8 to 1024 characters.").wait_for()
        wait_until(page, "document.activeElement.matches('#field-password[aria-invalid]')")
        fill_in_and_send(page, "Create admin", new_password=PASSWORD)
        page.wait_for_url("**/admin/welcome/")
        again = pages(path, user="")
        fill_in_and_send(again, "Create admin", name="eve", new_password=PASSWORD)
        again.get_by_role("alert").get_by_text("This link is wrong").wait_for()
        pages.get_context("").close()
    assert pages.faults == []


def test_an_admin_invites_an_author_who_joins(api, open_admin):
    page = open_admin("/admin/users/")
    page.get_by_role("button", name="Invite").click()
    dialog = page.get_by_role("dialog", name="Invite someone")
    dialog.get_by_role("button", name="Make the link").click()
    dialog.get_by_text("Must not be empty.").wait_for()
    dialog.get_by_role("textbox", name="Name").fill("Henrik Berg")
    assert dialog.get_by_role("radio", name="Author").is_checked()
    dialog.get_by_role("checkbox", name="May publish without asking an editor").check()
    dialog.get_by_text("this blog sends no e-mail").wait_for()
    assert list_violations(page) == []
    dialog.get_by_role("button", name="Make the link").click()
    link = page.get_by_role("textbox", name="Send this link to Henrik Berg").input_value()
    page.get_by_text("becomes an author").wait_for()
    page.get_by_role("rowheader", name=re.compile("Henrik Berg invited by you")).wait_for()
    theirs = open_admin(link, user="")
    theirs.get_by_text("You are invited as an author").wait_for()
    wait_until(theirs, "document.querySelector('#field-username').value === 'henrik.berg'")
    assert list_violations(theirs) == []
    fill_in_and_send(theirs, "Join", name="henrik", password=PASSWORD)
    theirs.wait_for_url(re.compile("/admin/(?!join)"))
    wait_for_page(theirs)
    user = get_by_name(api, "henrik")
    assert (user["role"], user["can_publish"]) == ("author", True)
    again = open_admin(link, user="marit")
    again.get_by_role("alert").get_by_text("This link is wrong").wait_for()
    assert again.get_by_role("textbox").count() == 0
    page.reload()
    page.get_by_role("row", name=re.compile("^Henrik Berg henrik Author, publishes")).wait_for()


def test_an_admin_revokes_an_invitation_on_the_phone(api, open_admin):
    api.post("invitations/", {"name": "Jo", "role": "reader"})
    page = open_admin("/admin/users/", width=390)
    get_edges = """() => [...document.querySelectorAll(".rights thead th")].flatMap((cell) => {
      const { left, right } = cell.getBoundingClientRect();
      return [left, right];
    })"""
    page.get_by_role("columnheader", name="Editor", exact=True).wait_for()
    edges = page.evaluate(get_edges)
    assert edges == sorted(edges)
    assert edges[-1] <= 390
    page.get_by_role("button", name="Actions for Jo").click()
    page.get_by_role("menuitem", name="Revoke").click()
    page.get_by_role("rowheader", name=re.compile("^Jo")).wait_for(state="detached")
    assert api.get("invitations/") == []


def test_an_admin_changes_a_role_ends_logins_and_disables_a_user(blog, api, open_admin):
    there = blog.client("tomas")
    for status in ("draft", "published"):
        api.post("blog/articles/", {"title": f"Of Ida, {status}", "status": status})
    written = len(api.get("blog/articles/?status=any&author=ida&fields=uuid"))
    page = open_admin("/admin/users/")
    # Drafts count too.
    own = page.get_by_role("row", name=re.compile("^ida"))
    own.get_by_role("cell", name=str(written), exact=True).wait_for()
    row = page.get_by_role("row", name=re.compile("^tomas"))
    row.get_by_role("cell", name="–", exact=True).wait_for()

    def choose(name):
        page.get_by_role("button", name="Actions for tomas").click()
        page.get_by_role("menuitem", name=name, exact=True).click()

    choose("Role")
    dialog = page.get_by_role("dialog", name="Role of tomas")
    assert dialog.get_by_role("radio", name="Reader").is_checked()
    dialog.get_by_role("radio", name="Editor").check()
    dialog.get_by_role("button", name="Save").click()
    row.get_by_role("cell", name="Editor").wait_for()
    page.get_by_role("button", name="Undo").click()
    row.get_by_role("cell", name="Reader").wait_for()
    choose("New link")
    page.get_by_role("textbox", name="Send this link to tomas").wait_for()
    choose("End logins")
    page.get_by_role("button", name="End logins").click()
    page.get_by_text("tomas is signed out.").wait_for()
    with pytest.raises(AssertionError, match="login_over"):
        there.get("auth/me/")
    choose("Disable")
    row.get_by_text("Disabled").wait_for()
    assert get_by_name(api, "tomas")["disabled"]
    page.get_by_role("button", name="Undo").click()
    row.get_by_text("Disabled").wait_for(state="detached")
    assert not get_by_name(api, "tomas")["disabled"]


def test_the_only_admin_makes_another_one_first(api, open_admin):
    marit = get_by_name(api, "marit")["uuid"]
    api.patch(f"users/{marit}/", {"role": "editor"})
    page = open_admin("/admin/users/")
    page.get_by_role("button", name="Actions for ida").click()
    page.get_by_role("menuitem", name="Role").click()
    page.get_by_role("alert").get_by_text("You are the only admin. Make another one first.").wait_for()
    api.patch(f"users/{marit}/", {"role": "admin"})


def test_an_admin_deletes_a_user_after_a_question(api, open_admin):
    api.post("users/", {"username": "gone"})
    page = open_admin("/admin/users/")
    page.get_by_role("button", name="Actions for gone").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_role("dialog", name="Delete gone?").get_by_role("button", name="Delete user").click()
    page.get_by_role("row", name=re.compile("^gone")).wait_for(state="detached")
    assert "gone" not in [user["username"] for user in api.get("users/")]


def test_a_key_is_shown_once_and_revoked(api, open_admin):
    page = open_admin("/admin/keys/")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.locator(".code-example pre").wait_for()
    # The sample command is not cut.
    assert page.locator(".code-example pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    dialog.get_by_role("textbox", name="Name").fill("phone shortcut")
    dialog.get_by_role("radio", name="Read and write").check()
    dialog.get_by_text("Create, change, publish and delete").wait_for()
    assert list_violations(page) == []
    requests = []
    page.route("**/auth/api-key/", lambda route: requests.append(route))
    dialog.get_by_role("button", name="Make the key").click()
    dialog.get_by_role("button", name="Saving…").wait_for()
    # The key is shown even if the dialog is closed before the answer.
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    wait_for_first(page, requests).continue_()
    shown = page.get_by_role("region", name="Key “phone shortcut” is made. Copy it now")
    shown.get_by_text(re.compile(r"^May read and write as ida\. Ends on \d")).wait_for()
    wait_until(page, "document.activeElement.textContent.includes('Copy')")
    page.keyboard.press("Enter")
    wait_for_copied(page)
    value = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch("blogapi_[0-9A-Za-z]{38}", value)
    (key,) = api.get("auth/api-key/")
    assert (key["name"], key["scopes"][-1]) == ("phone shortcut", "write")
    page.reload()
    page.get_by_role("button", name="Revoke phone shortcut").click()
    assert value not in page.content()
    page.get_by_role("button", name="Revoke key").click()
    page.get_by_role("heading", name="No keys yet").wait_for()
    assert api.get("auth/api-key/") == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (320, True)])
def test_a_key_that_writes_drafts_is_a_choice(api, open_admin, width, dark):
    page = open_admin("/admin/keys/", width=width, dark=dark)
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    assert dialog.get_by_role("radio", checked=True).get_attribute("value") == "read"
    choices = dialog.get_by_role("group", name="It may").get_by_role("radio")
    assert choices.evaluate_all("radios => radios.map((radio) => radio.value)") == [*SCOPES]
    dialog.get_by_role("textbox", name="Name").fill(f"Writing assistant {width}")
    dialog.get_by_text("Never publishes, deletes, or touches what readers see.").click()
    assert list_violations(page) == []
    assert not is_wider_than_the_window(page)
    dialog.get_by_role("button", name="Make the key").click()
    page.get_by_text(re.compile(r"^May write drafts as ida\. Ends on \d")).wait_for()
    row = page.get_by_role("row", name=re.compile(f"Writing assistant {width}"))
    row.get_by_role("cell", name="Drafts").wait_for()
    (key,) = (one for one in api.get("auth/api-key/") if one["name"] == f"Writing assistant {width}")
    assert key["scopes"] == ["published", "read", "drafts"]
    api.delete(f"auth/api-key/{key['uuid']}/")


def test_an_admin_changes_the_own_byline(api, open_admin):
    api.post("blog/articles/", {"title": "Draft", "authors": [get_author(api, "marit")]})
    page = open_admin("/admin/profile/", user="marit")
    page.get_by_text("Under 1 article", exact=True).wait_for()
    page.get_by_label("Name in the byline").fill("")
    page.get_by_role("button", name="Save").click()
    page.locator(".byline").get_by_text("Must not be empty.").wait_for()
    page.get_by_label("Name in the byline").fill("Marit H")
    page.get_by_label("About").fill("Mends things in a shed above the quay.")
    page.get_by_role("button", name="Save").click()
    page.locator(".byline").get_by_text("Saved").wait_for()
    (author,) = (one for one in api.get("blog/authors/") if one["name"] == "Marit H")
    assert author["bio"] == "Mends things in a shed above the quay."
    page.get_by_role("button", name="Choose your picture").click()
    page.get_by_role("dialog", name="Choose your picture").wait_for()


def test_a_typed_byline_outlives_another_action_of_the_profile(api, blog, open_admin):
    for _ in range(3):
        blog.client("marit")
    user = get_by_name(api, "marit")["uuid"]
    (author,) = (one["uuid"] for one in api.get("blog/authors/") if one["user"] == user)
    page = open_admin("/admin/profile/", user="marit")
    about = page.get_by_label("About")
    ends = page.locator(".row").get_by_role("button", name=re.compile("^End "))
    ends.nth(2).wait_for()

    def end_login():
        number = ends.count()
        ends.first.click()
        wait_until(page, f"document.querySelectorAll('.row button').length === {number - 1}")

    for text in ("Writes at night.", "Writes at noon."):
        about.fill(text)
        end_login()
        assert about.input_value() == text
        with page.expect_response(lambda answer: answer.request.method == "PATCH"):
            page.locator(".byline").get_by_role("button", name="Save").click()
        wait_until(page, "!document.querySelector('admin-page').busy")
        assert api.get(f"blog/authors/{author}/")["bio"] == text
    # A field without typed text shows the stored value.
    api.patch(f"blog/authors/{author}/", {"bio": "Writes in the morning."})
    end_login()
    assert about.input_value() == "Writes in the morning."


def test_a_member_changes_their_password_and_ends_a_login(blog, open_admin):
    there, _ = blog.client("tomas"), blog.client("tomas")
    page = open_admin("/admin/profile/", user="tomas")
    page.get_by_text("(this one)").wait_for()
    ends = page.locator(".row").get_by_role("button", name=re.compile("^End "))
    number = ends.count()
    ends.first.click()
    wait_until(page, f"document.querySelectorAll('.row button').length === {number - 1}")
    blog.client("tomas")
    page.reload()
    page.get_by_role("button", name="End all others").click()
    page.get_by_text("Your other logins have ended.").wait_for()
    wait_until(page, "document.querySelectorAll('.row').length === 1")
    page.get_by_role("button", name="Change password").click()
    dialog = page.get_by_role("dialog", name="Change password")
    dialog.get_by_label("Current password", exact=True).fill("wrong")
    dialog.get_by_label("New password", exact=True).fill("a better pass phrase")
    dialog.get_by_role("button", name="Change password").click()
    dialog.get_by_text("This is not your password.").wait_for()
    assert list_violations(page) == []
    dialog.get_by_label("Current password", exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Change password").click()
    page.get_by_text("Saved. Your other logins have ended.").wait_for()
    with pytest.raises(AssertionError, match="login_over"):
        there.get("auth/me/")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/admin/sign-in/")
    assert page.context.cookies() == []


def test_an_admin_changes_the_email_of_a_user(make_blog, browser):
    with run_mail_server() as server:
        blog = make_blog(**server.settings())
        blog.client("ida").patch("blog/site/", {"service_url": blog.origin})
        pages = AdminPages(browser, blog)
        page = pages("/admin/users/")
        dialog = page.get_by_role("dialog", name="E-mail of tomas", exact=True)
        for former in ("", "tomas@blog.example"):
            page.get_by_role("button", name="Actions for tomas").click()
            page.get_by_role("menuitem", name="E-mail", exact=True).click()
            email = dialog.get_by_label("E-mail", exact=True)
            assert email.input_value() == former
            assert list_violations(page) == []
            email.fill("tomas@blog.example")
            dialog.get_by_role("button", name="Save", exact=True).click()
            dialog.wait_for(state="detached")
        emails = {user["username"]: user["email"] for user in blog.client("ida").get("users/")}
        assert (emails["tomas"], pages.faults) == ("tomas@blog.example", [])
        pages.close()
