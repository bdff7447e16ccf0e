"""Attacks on the admin pages: texts with scripts, and requests from pages of other origins."""

from __future__ import annotations

import io
import itertools
import json
import re
import zipfile

import pytest

from blogapi.admin import routes
from tests.admin.blogs import PASSWORD, Client
from tests.admin.browsing import wait_for_page
from tests.admin.demo import draw_picture
from tests.browser import wait_until
from tests.delivery.webhooks.rows import add_webhook

pytestmark = pytest.mark.sqlite("the pages use the API alone")

ATTACKS = (
    '<img src="data:," onerror="window.attacked=1">',
    '"><svg onload=window.attacked=1>',
    "<script>window.attacked=1</script>",
    "'-(window.attacked=1)-'",
    "${window.attacked=1}{{window.attacked=1}}",
    "</title></textarea></template><iframe srcdoc='<script>parent.attacked=1</script>'>",
    "javascript:window.attacked=1",
    "[x](javascript:window.attacked=1)",
)
TEXT = " ".join(ATTACKS)
# The open menus and dialogs.
OPEN = ":popover-open, dialog[open]"
# What an attack leaves in the document, also in shadow roots: an element that runs a script. Beside the menu,
# a text or a field must show an attack.
FIND = """() => {
  const found = [];
  let shown = false;
  const search = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const names = element.getAttributeNames();
      const runs = names.some((name) => name.startsWith("on")) || element.localName === "iframe"
        || (element.localName === "script" && !element.src) || element.protocol === "javascript:";
      if (runs) found.push(element.outerHTML);
      if (element.closest("nav")) continue;
      const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
      shown ||= [element.value, ...texts.map(({ data }) => data)].join().includes("attacked");
      if (element.shadowRoot) search(element.shadowRoot);
    }
  };
  search(document.body);
  return { found, attacked: window.attacked ?? null, shown };
}"""


@pytest.fixture(scope="module")
def article(api, blog):
    """The uuid of an article that has attacks in every field, like everything else in the blog."""
    navigation = [{"label": ATTACKS[1], "url": "/x"}]
    api.patch("blog/site/", {"title": ATTACKS[0], "description": TEXT, "navigation": navigation})
    category = api.post("blog/categories/", {"name": ATTACKS[0], "description": TEXT})["uuid"]
    tag = api.post("blog/tags/", {"name": ATTACKS[1]})["uuid"]
    author = api.post("blog/authors/", {"name": ATTACKS[2], "bio": TEXT})["uuid"]
    api.post("blog/fields/", {"name": "attack", "label": ATTACKS[0], "help": TEXT, "type": "text"})
    api.post("blog/redirects/own/", {"path": f"/{ATTACKS[0]}", "target": "/", "status": 301})
    picture = draw_picture((40, 30), "#fff", "#000")
    # The server replaces what a file name must not contain.
    media = api.send("POST", "blog/media/", query_string={"name": f"{ATTACKS[0]}.jpg"}, data=picture)
    api.patch(f"blog/media/{media['uuid']}/", {"alt": TEXT, "caption": TEXT})
    api.post("auth/api-key/", {"name": ATTACKS[0], "scopes": ["read"]})
    login = {"username": "ida", "password": PASSWORD}
    Client(blog.app.test_client()).post("auth/login/", login, headers={"User-Agent": ATTACKS[0]})
    for content_type in ("html", "text", "markdown"):
        body = {
            "title": f"{ATTACKS[0]} {content_type}",
            "subtitle": TEXT,
            "content": f"{TEXT}\n\n" + "\n\n".join(ATTACKS),
            "content_type": content_type,
            "excerpt": TEXT,
            "cover_image": media["url"],
            "seo": {"title": ATTACKS[1], "description": TEXT},
        }
        references = {"category": {"uuid": category}, "tags": [{"uuid": tag}], "authors": [{"uuid": author}]}
        path = f"blog/articles/{api.post('blog/articles/', body | references)['uuid']}/"
        api.patch(path, {"content": f"{TEXT} second", "title": f"{ATTACKS[2]} {content_type}"})
        api.post(f"{path}revisions/", {"name": ATTACKS[0]})
        api.put(f"{path}working-copy/", body | {"category": category, "tags": [tag], "authors": [author]})
    return path.split("/")[2]


@pytest.fixture(scope="module")
def item(article, api):
    """The uuid of a page with attacks."""
    body = {"title": ATTACKS[0], "subtitle": TEXT, "content": "\n\n".join([TEXT, *ATTACKS])}
    uuid = api.post("blog/pages/", body)["uuid"]
    api.patch(f"blog/pages/{uuid}/", {"title": ATTACKS[2]})
    api.post(f"blog/pages/{uuid}/revisions/", {"name": ATTACKS[0]})
    return uuid


def close(page):
    page.keyboard.press("Escape")
    # The first key closes only the suggestions of a field.
    if page.locator(OPEN).count():
        page.keyboard.press("Escape")
    page.locator(OPEN).first.wait_for(state="hidden")


def show_menus(page):
    """Open the menus and the dialogs of the page one by one."""
    for button in page.get_by_role("main").locator("button[aria-haspopup]").all():
        if button.is_visible():
            button.click()
            page.locator(OPEN).first.wait_for()
            yield button.get_attribute("aria-label") or button.inner_text()
            close(page)


def show_articles(page):
    bulk = page.get_by_role("group", name="Selection", exact=True)
    for name in ("Publish…", "Category", "Tags", "Authors"):
        page.get_by_role("checkbox", name="Select all on this page", exact=True).check()
        bulk.get_by_role("button", name=name, exact=True).click()
        page.locator(OPEN).first.wait_for()
        yield name
        close(page)
    page.get_by_role("button", name=re.compile("^Actions for .* html$")).click()
    page.get_by_role("menuitem", name="Archive", exact=True).click()
    page.get_by_text("html” archived").wait_for()
    yield "toast"
    page.keyboard.press("Control+p")
    page.keyboard.type("markdown")
    page.get_by_role("option", name=re.compile(" markdown ")).wait_for()
    yield "palette"


def show_editor(page, api, path):
    wait_until(
        page, "document.querySelector('.reading > .sheet')?.shadowRoot?.textContent.includes('attack')"
    )
    yield "preview"
    page.get_by_role("button", name="Picture", exact=True).click()
    page.get_by_role("dialog").get_by_role("button").filter(has=page.locator("img")).first.click()
    yield "picture"
    page.get_by_role("dialog").get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("button", name="Details", exact=True).click()
    page.get_by_role("combobox", name="Tags", exact=True).press_sequentially("svg")
    page.get_by_role("listbox").get_by_role("option").first.wait_for()
    yield "details"
    page.get_by_role("combobox", name="Tags", exact=True).fill("")
    copy = api.get(f"{path}working-copy/")
    api.put(f"{path}working-copy/", {"title": f"{ATTACKS[1]} theirs", "content": f"{TEXT} theirs"})
    page.get_by_role("textbox", name="Title", exact=True).fill(f"{copy['title']} mine")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="Decide later", exact=True).wait_for()
    page.get_by_role("radio", name="Mine", exact=True).first.check()
    yield "merge"


def show_history(page):
    for version in page.get_by_role("navigation", name="Versions").get_by_role("link").all():
        version.click()
        page.get_by_role("region", name="Changes", exact=True).wait_for()
        yield version.inner_text()


def show_media(page):
    page.locator(".media-item").first.click()
    page.get_by_role("button", name="Delete file", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel", exact=True).wait_for()
    yield "file and question"
    page.get_by_role("dialog").get_by_role("button", name="Delete file", exact=True).click()
    page.locator(".toast").get_by_text("deleted").wait_for()
    yield "toast"


def show_terms(page, action):
    page.locator(".link-button", has_text="attacked").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel", exact=True).wait_for()
    yield "dialog"
    page.get_by_role("dialog").get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("checkbox", name="Select all on this page", exact=True).check()
    page.get_by_role("button", name="Merge…", exact=True).click()
    page.locator(OPEN).first.wait_for()
    yield "merge"
    close(page)
    page.get_by_role("button", name=re.compile("^Actions for .*attacked")).first.click()
    page.get_by_role("menuitem", name=action, exact=True).click()
    page.locator("dialog:visible, [role=alert]:visible, .toast:visible").first.wait_for()
    yield action


def show_keys(page):
    page.get_by_role("button", name=re.compile("^Revoke .*attacked")).click()
    page.get_by_role("dialog").wait_for()
    yield "question"


def show_import(page):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(f"{ATTACKS[0].replace('/', '')}.md", "---\ntitle: [\n---\n")
        archive.writestr("good.md", f"---\ntitle: {json.dumps(ATTACKS[0])}\n---\nText.")
    file = {"name": f"{ATTACKS[0]}.zip", "mimeType": "application/zip", "buffer": target.getvalue()}
    page.get_by_label("File of the other blog", exact=True).set_input_files(file)
    page.get_by_role("button", name="Upload and try", exact=True).click()
    page.get_by_text("will be left out").wait_for()
    yield "report"


# Beside the menu, these pages show no texts of users, except for the report of an import.
PAGES_WITHOUT_TEXTS = {
    *("/setup/", "/reset/", "/users/", "/import/", "/export/", "/backups/"),
    *("/webhooks/new/", "/profile/", "/join/", "/settings/"),
    *("/keys/connect/", "/articles/bin/", "/pages/bin/", "/media/alt/"),
}


def test_texts_with_scripts_are_shown_as_texts(article, item, blog, api, open_admin):
    """The pages, their menus, dialogs and toasts show the attacks, and contain no element of them."""
    path = f"blog/articles/{article}/"
    steps = {
        "/articles/": show_articles,
        "/articles/<id:id>/": lambda page: show_editor(page, api, path),
        "/articles/<id:id>/history/": show_history,
        "/media/": show_media,
        "/categories/": lambda page: show_terms(page, "Delete category"),
        "/tags/": lambda page: show_terms(page, "Delete tag"),
        "/authors/": lambda page: show_terms(page, "Delete author"),
        "/keys/": show_keys,
        "/import/": show_import,
    }
    page = open_admin("/admin/")
    webhook, _ = add_webhook(blog.app, name=ATTACKS[0])
    faults = []
    # The editor shows the file that is deleted from the library in the end.
    for place in sorted((page.path for page in routes.PAGES), key="/media/".__eq__):
        uuid = {"webhooks": webhook, "pages": item}.get(place.split("/")[1], article)
        page.goto(f"/admin{place.replace('<id:id>', str(uuid))}")
        wait_for_page(page)
        for step in itertools.chain(["page"], show_menus(page), steps.get(place, lambda _: ())(page)):
            result = page.evaluate(FIND)
            is_shown = place not in PAGES_WITHOUT_TEXTS or step == "report"
            if result != {"found": [], "attacked": None, "shown": is_shown}:
                faults.append((place, step, result))
    assert faults == []


SEND = """async ([address, method]) => {
  const body = method === "DELETE" ? undefined : '{"name": "Taken over"}';
  try { await fetch(address, { method, body, mode: "no-cors", credentials: "include" }); } catch {}
}"""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_of_another_origin_cannot_use_the_login(api, blog, open_admin, host):
    """Another port of the same host is the same site, so SameSite=Lax alone would send the cookie."""
    context = open_admin.get_context("ida")
    other = f"http://{host}:9"
    context.route(f"{other}/**", lambda route: route.fulfill(body="<form></form>", content_type="text/html"))
    page = context.new_page()
    page.goto(f"{other}/")
    statuses = []
    page.on("response", lambda response: statuses.append(response.status))
    page.evaluate(SEND, [f"{blog.origin}/api/v1/blog/categories/", "POST"])
    wait_until(page, "true")
    with page.expect_response(f"{blog.origin}/**") as answered:
        page.evaluate(
            """(address) => {
              const form = document.querySelector("form");
              Object.assign(form, { action: address, method: "post", enctype: "text/plain" });
              form.submit();
            }""",
            f"{blog.origin}/api/v1/blog/categories/",
        )
    statuses.append(answered.value.status)
    assert statuses and set(statuses) <= {401, 403}
    assert "Taken over" not in {category["name"] for category in api.get("blog/categories/")}


def test_signing_in_leads_to_no_other_origin(article, open_admin):
    page = open_admin("/docs/", user="")
    for target in ("//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"):
        page.context.clear_cookies()
        page.goto(f"/admin/sign-in/?next={target}")
        page.get_by_role("textbox", name="Name", exact=True).fill("ida")
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.wait_for_url("**/admin/")
        assert page.url == f"{open_admin.origin}/admin/"
        # Without a login, a page that still loads would lead to the sign-in page.
        wait_for_page(page)


def test_a_member_sees_nothing_that_the_api_refuses(article, open_admin):
    page = open_admin("/admin/articles/", user="tomas")
    page.wait_for_url("**/admin/profile/")
    wait_for_page(page)
    assert page.evaluate("document.querySelector('admin-page').state") == "ready"
    assert "attacked" not in page.get_by_role("main").inner_text()
