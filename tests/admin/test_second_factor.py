"""The second factor and forgotten passwords, as a person meets them."""

from __future__ import annotations

import re
import time

import pyotp
import pytest

from blogapi.accounts.users import queries, service
from tests.admin.blogs import PASSWORD
from tests.admin.browsing import AdminPages, list_violations, wait_for_page
from tests.browser import is_wider_than_the_window, wait_until
from tests.mail_server import run_mail_server

pytestmark = pytest.mark.sqlite("the pages use the API alone")


def sign_in(page, name, password=PASSWORD):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()


def send_code(page, code, label="Code from the app"):
    page.get_by_label(label).fill(code)
    page.get_by_role("button", name="Sign in").click()


def set_up(page):
    """Turn the second factor on; return the app and the recovery codes."""
    secret = page.locator(".secret").inner_text().replace(" ", "")
    assert page.get_by_role("img", name="QR code").get_attribute("src").startswith("data:image/svg+xml")
    totp = pyotp.TOTP(secret)
    page.get_by_label("Code from the app").fill("000000")
    form = page.locator(".second-factor-setup")
    form.get_by_label("Current password", exact=True).fill("wrong")
    page.get_by_role("button", name="Turn on").click()
    form.get_by_text("This is not your password.").wait_for()
    form.get_by_label("Current password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Turn on").click()
    page.get_by_text("The code is wrong. Enter the newest one.").wait_for()
    page.get_by_label("Code from the app").fill(totp.now())
    page.get_by_role("button", name="Turn on").click()
    shown = page.get_by_role("region", name="Ten recovery codes")
    shown.wait_for()
    assert list_violations(page) == []
    codes = shown.get_by_role("listitem").all_inner_texts()
    assert len(codes) == 10
    page.get_by_role("button", name="I have them, hide them").click()
    shown.wait_for(state="detached")
    return totp, codes


def test_a_person_turns_the_second_factor_on_and_signs_in_with_it(blog, api, open_admin):
    page = open_admin("/admin/profile/", user="tomas")
    page.get_by_role("button", name="Set up").click()
    wait_until(page, "document.activeElement.matches('#field-code')")
    assert list_violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert list_violations(page, "color-contrast") == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not is_wider_than_the_window(page)
    totp, codes = set_up(page)
    page.get_by_text("10 recovery codes left").wait_for()
    # A login that ends while a page is open asks for a code too.
    with blog.app.app_context():
        service.end_logins(queries.get_user_by_name("tomas").uuid)
    page.get_by_role("button", name="Change password").click()
    dialog = page.get_by_role("dialog", name="Change password")
    dialog.get_by_label("Current password", exact=True).fill("wrong")
    dialog.get_by_label("New password", exact=True).fill("a better pass phrase")
    dialog.get_by_role("button", name="Change password").click()
    again = page.get_by_role("dialog", name="Your login has ended")
    again.get_by_label("Password", exact=True).fill(PASSWORD)
    again.get_by_role("button", name="Sign in").click()
    again.get_by_label("Code from the app").fill("000000")
    again.get_by_role("button", name="Sign in").click()
    again.get_by_role("alert").get_by_text("The code is wrong").wait_for()
    # The code of the next step: those that are not newer than the last one are refused.
    again.get_by_label("Code from the app").fill(totp.at(time.time() + totp.interval))
    again.get_by_role("button", name="Sign in").click()
    dialog.get_by_text("This is not your password.").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/admin/sign-in/")
    sign_in(page, "tomas")
    page.get_by_label("Code from the app").wait_for()
    assert list_violations(page) == []
    assert not page.get_by_label("Password", exact=True).is_visible()
    send_code(page, "000000")
    page.get_by_role("alert").get_by_text("The code is wrong").wait_for()
    page.get_by_role("button", name="Use a recovery code").click()
    send_code(page, codes[0], "Recovery code")
    page.wait_for_url(re.compile("/admin/(?!sign-in|reset)"))
    # New codes, and off and on again.
    # Readers come to their profile.
    page.get_by_text("(this one)").wait_for()
    for action, title in (
        ("New recovery codes", "New recovery codes"),
        ("Turn off", "Turn the second factor off"),
    ):
        page.get_by_role("button", name=action, exact=True).click()
        dialog = page.get_by_role("dialog", name=title)
        dialog.get_by_label("Current password", exact=True).fill("wrong")
        dialog.get_by_role("button", name="Go on").click()
        dialog.get_by_text("This is not your password.").wait_for()
        dialog.get_by_label("Current password", exact=True).fill(PASSWORD)
        dialog.get_by_role("button", name="Go on").click()
        dialog.wait_for(state="detached")
    page.get_by_role("button", name="Set up").click()
    set_up(page)
    # An admin helps somebody who has lost the phone and the codes.
    users = open_admin("/admin/users/")
    users.get_by_role("row", name=re.compile("^tomas.*On, 10 recovery codes left")).wait_for()
    users.get_by_role("button", name="Actions for tomas").click()
    users.get_by_role("menuitem", name="Reset second factor").click()
    users.get_by_role("button", name="Reset", exact=True).click()
    users.get_by_text("The second factor of tomas is off.").wait_for()
    (user,) = (user for user in api.get("users/") if user["username"] == "tomas")
    assert user["second_factor_since"] is None


def test_an_admin_who_needs_a_second_factor_can_only_turn_it_on(make_blog, browser):
    pages = AdminPages(browser, make_blog(REQUIRE_SECOND_FACTOR=True))
    page = pages("/admin/articles/")
    page.get_by_text("Admins of this blog need a second factor.").wait_for()
    wait_for_page(page)
    assert page.url.endswith("/admin/profile/")
    assert list_violations(page) == []
    set_up(page)
    page.goto("/admin/users/")
    page.get_by_role("row", name=re.compile("^marit.*Must be turned on")).wait_for()
    page.get_by_text("A second factor is required for admins.").wait_for(state="attached")
    assert pages.faults == []
    pages.close()


def test_a_forgotten_password_is_replaced_with_a_link_by_email(make_blog, browser):
    with run_mail_server() as server:
        blog = make_blog(**server.settings())
        pages = AdminPages(browser, blog)
        blog.client("ida").patch("blog/site/", {"service_url": blog.origin})
        page = pages("/admin/profile/", user="tomas")
        page.get_by_role("button", name="Change e-mail").click()
        page.get_by_label("E-mail", exact=True).fill("tomas@blog.example")
        page.get_by_label("Current password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Save").click()
        page.get_by_text("tomas@blog.example").wait_for()
        page = pages("/admin/sign-in/", user="")
        forgotten = page.get_by_role("button", name="Forgotten your password?")
        forgotten.click()
        page.get_by_role("alert").get_by_text("Enter your name first").wait_for()
        page.get_by_label("Name", exact=True).fill("tomas")
        forgotten.click()
        page.get_by_text("a link is on its way").wait_for()
        assert list_violations(page) == []
        for _ in range(600):
            if server.messages:
                break
            page.wait_for_timeout(50)
        link = re.search(r"http\S+", server.messages[0].get_content())[0]
        page.goto(link)
        page.get_by_label("New password", exact=True).fill("a better pass phrase")
        page.get_by_role("button", name="Save").click()
        page.wait_for_url(re.compile("/admin/(?!sign-in|reset)"))
        page.get_by_text("(this one)").wait_for()
        assert pages.faults == []
        pages.close()
