"""Sanitized HTML in Chromium: no `id` or `name` of an article shadows a property of the page."""

from __future__ import annotations

import pytest

from blogapi.rendering import sanitizer

pytestmark = pytest.mark.once

# The names of the properties of `window` and `document`, also of the inherited ones. Constructors such as
# `Array` are left out: `window` itself has them, so elements do not shadow them.
LIST_NAMES = """
() => [window, document].map((owner) => {
  const names = new Set();
  for (let object = owner; object; object = Object.getPrototypeOf(object)) {
    Object.getOwnPropertyNames(object).forEach((name) => names.add(name));
  }
  return [...names].filter((name) => /^[a-z_]/.test(name));
})
"""

# Shows the HTML, and returns the properties that have a value of another kind than before.
LIST_SHADOWED = """
([html, names]) => {
  const read = () =>
    [window, document].map((owner, n) => names[n].map((name) => [name, owner[name]]));
  const getKind = (value) => (value instanceof Element ? value : (value?.constructor ?? typeof value));
  const isOther = (before, after) => before !== after && getKind(before) !== getKind(after);
  document.body.replaceChildren();
  const before = read();
  document.body.innerHTML = html;
  return read().flatMap((owner, n) =>
    owner.filter(([_, value], m) => isOther(before[n][m][1], value)).map(([name]) => name),
  );
}
"""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page without network."""
    context = browser.new_context()
    page = context.new_page()
    page.route("**/*", lambda route: route.abort())
    page.route("https://blog.example/", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("https://blog.example/")
    yield page
    context.close()


def write_elements(element, names):
    return "".join(element.format(f'id="{name}" name="{name}"') for name in names)


@pytest.mark.parametrize(
    "element",
    [
        *(
            "<p {}>",
            "<a {}>",
            "<a {} href=x></a>",
            "<h2 {}>",
            "<img src=data:, {}>",
            "<input type=checkbox {}>",
        ),
        *("<video {}></video>", "<map {}></map>", "<iframe src=https://www.youtube.com/embed/a {}></iframe>"),
    ],
)
def test_no_id_or_name_shadows_a_property_of_the_page(page, element):
    names = page.evaluate(LIST_NAMES)
    assert {"location", "name", "top"} <= set(names[0]) and {"cookie", "getElementById"} <= set(names[1])
    used = [name for each in names for name in each]
    # A frame takes several milliseconds.
    written = write_elements(element, used[::20] if "iframe" in element else used)
    shown = sanitizer.to_safe_html(written, "html")
    assert page.evaluate(LIST_SHADOWED, [shown, names]) == []


def test_a_name_that_is_not_removed_shadows_a_property(page):
    names = page.evaluate(LIST_NAMES)
    written = write_elements("<img {}>", ["cookie", "getElementById", "location"])
    assert page.evaluate(LIST_SHADOWED, [written, names]) == ["cookie", "getElementById"]
