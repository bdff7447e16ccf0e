"""Attacks on the admin pages: texts with scripts, and requests from pages of other origins."""

from __future__ import annotations

import pytest

from blogapi.admin import routes
from tests.admin.blogs import PASSWORD
from tests.admin.browsing import wait_for_page
from tests.admin.demo import draw_picture
from tests.browser import wait_until

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
# What an attack leaves in the document, also in shadow roots: an element that runs a script.
FIND = """() => {
  const found = [];
  const search = (root) => {
    for (const element of root.querySelectorAll("*")) {
      const names = element.getAttributeNames();
      const runs = names.some((name) => name.startsWith("on")) || element.localName === "iframe"
        || (element.localName === "script" && !element.src) || element.protocol === "javascript:";
      if (runs) found.push(element.outerHTML);
      if (element.shadowRoot) search(element.shadowRoot);
    }
  };
  search(document);
  return { found, attacked: window.attacked ?? null };
}"""


@pytest.fixture(scope="module")
def article(api):
    """The uuid of an article that has attacks in every field, like everything else in the blog."""
    navigation = [{"label": ATTACKS[1], "url": "/x"}]
    api.patch("blog/site/", {"title": ATTACKS[0], "description": TEXT, "navigation": navigation})
    category = api.post("blog/categories/", {"name": ATTACKS[0], "description": TEXT})["uuid"]
    tag = api.post("blog/tags/", {"name": ATTACKS[1]})["uuid"]
    author = api.post("blog/authors/", {"name": ATTACKS[2], "bio": TEXT})["uuid"]
    picture = draw_picture((40, 30), "#fff", "#000")
    # The server replaces what a file name must not contain.
    media = api.send("POST", "blog/media/", query_string={"name": f"{ATTACKS[0]}.jpg"}, data=picture)
    api.patch(f"blog/media/{media['uuid']}/", {"alt": TEXT, "caption": TEXT})
    api.post("auth/api-key/", {"name": ATTACKS[0], "scopes": ["read"]})
    for content_type in ("html", "text", "markdown"):
        body = {
            "title": f"{ATTACKS[0]} {content_type}",
            "subtitle": TEXT,
            "content": f"{TEXT}\n\n" + "\n\n".join(ATTACKS),
            "content_type": content_type,
            "excerpt": TEXT,
            "seo": {"title": ATTACKS[1], "description": TEXT},
        }
        references = {"category": {"uuid": category}, "tags": [{"uuid": tag}], "authors": [{"uuid": author}]}
        path = f"blog/articles/{api.post('blog/articles/', body | references)['uuid']}/"
        api.patch(path, {"content": f"{TEXT} second", "title": f"{ATTACKS[2]} {content_type}"})
        api.post(f"{path}revisions/", {"name": ATTACKS[0]})
        api.put(f"{path}working-copy/", body | {"category": category, "tags": [tag], "authors": [author]})
    return path.split("/")[2]


@pytest.mark.parametrize("path", [page.path for page in routes.PAGES])
def test_texts_with_scripts_are_shown_as_texts(article, open_admin, path):
    page = open_admin(f"/admin{path.replace('<id:id>', article)}")
    wait_for_page(page)
    assert page.evaluate(FIND) == {"found": [], "attacked": None}
    for button in page.get_by_role("main").get_by_role("button").all():
        if button.get_attribute("aria-haspopup") and button.is_visible():
            button.click()
            page.keyboard.press("Escape")
    assert page.evaluate(FIND) == {"found": [], "attacked": None}


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


@pytest.mark.parametrize(
    "target", ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_leads_to_no_other_origin(open_admin, target):
    page = open_admin("/docs/", user="")
    page.goto(f"/admin/sign-in/?next={target}")
    page.get_by_role("textbox", name="Name", exact=True).fill("ida")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/admin/")
    assert page.url == f"{open_admin.origin}/admin/"


def test_a_member_sees_nothing_that_the_api_refuses(article, open_admin):
    page = open_admin("/admin/articles/", user="tomas")
    wait_for_page(page)
    page.get_by_role("heading", name="For admins only", exact=True).wait_for()
    assert "attacked" not in page.get_by_role("main").inner_text()
