"""References to media files in exported articles."""

from __future__ import annotations

import itertools
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogapi.exporting.exported_addresses import MediaAddresses, escape_shortcodes, restore_content

UUID = "3f2b6c1e-8d4a-4f5b-9c7d-1e2f3a4b5c6d"
HASH, FORMER = "a" * 64, "b" * 64
CAT = {"uuid": UUID, "hash": HASH, "name": "cat.jpg"}
MEDIA = MediaAddresses([CAT], {UUID: "cat.jpg"}, {FORMER: UUID})
PATHS = dict.fromkeys(("img/my%20cat.jpg", "a.jpg", "bilder/gr%C3%B6%C3%9Fe%20xl.jpg"), "cat.jpg")


def rewrite(content, paths=PATHS, folder="../media/", *, shortcodes=False):
    """Return the exported content, from which the original was restored."""
    result = MEDIA.replace_references(content, paths, folder, escapes_shortcodes=shortcodes)
    originals = {item["exported"]: item["original"] for item in result.replacements}
    assert restore_content(result.content, originals) == content
    return result.content


@pytest.mark.parametrize(
    ("content", "exported"),
    [
        (f"![c](media:{UUID})", "![c](../media/cat.jpg)"),
        (f"![c](MEDIA:{UUID.upper()})", "![c](../media/cat.jpg)"),
        (f"![c](/media/{HASH}/cat.jpg)", "![c](../media/cat.jpg)"),
        (f"![c](/media/{HASH}/हिन्दी.jpg)", "![c](../media/cat.jpg)"),
        (f"![c](/media/{HASH}/former-name.jpg?x=1)", "![c](../media/cat.jpg?x=1)"),
        (f"See https://api.example/blog/media/{HASH}/cat.jpg.", "See ../media/cat.jpg."),
        (f'<img srcset="/media/{FORMER}/cat-400.webp 400w">', '<img srcset="../media/cat.jpg 400w">'),
        ("![c](img/my%20cat.jpg)", "![c](../media/cat.jpg)"),
        ("![c](<img/my cat.jpg>)", "![c](<../media/cat.jpg>)"),
        ("![c](bilder/größe%20xl.jpg)", "![c](../media/cat.jpg)"),
        ('<img src="a.jpg"> a.jpg', '<img src="../media/cat.jpg"> a.jpg'),
        ("[c]: a.jpg\n", "[c]: ../media/cat.jpg\n"),
    ],
)
def test_references_become_addresses_of_files(content, exported):
    assert rewrite(content) == exported


@pytest.mark.parametrize(
    "content",
    [
        f"![c](media:{UUID[::-1]})",
        f"![c](/media/{'c' * 64}/cat.jpg)",
        f"https://web.archive.org/web/https://api.example/media/{HASH}/cat.jpg",
        f"{{{{ base }}}}/media/{HASH}/cat.jpg",
        "banana.jpg",
    ],
)
def test_other_addresses_stay(content):
    assert rewrite(content) == content


def test_each_spelling_of_a_reference_has_an_address_of_its_own():
    content = f"![](media:{UUID}) ![](/media/{HASH}/cat.jpg) ![](a.jpg) ![](media:{UUID})"
    assert rewrite(content) == (
        "![](../media/cat.jpg) ![](../media/cat.jpg#2) ![](../media/cat.jpg#3) ![](../media/cat.jpg)"
    )


def test_an_address_that_the_content_contains_is_not_used_for_another_reference():
    assert (
        rewrite(f"![](media:{UUID}) `../media/cat.jpg`", {}) == "![](../media/cat.jpg#2) `../media/cat.jpg`"
    )
    content = f"![](/media/cat.jpg) ![](media:{UUID})"
    assert rewrite(content, {"/media/cat.jpg": "cat.jpg"}, "/media/") == (
        "![](/media/cat.jpg) ![](/media/cat.jpg#2)"
    )


def test_a_content_that_could_not_be_restored_stays():
    content = f"![](media:{UUID}) ![](/media/{HASH}/cat.jpg) media:{UUID}#2"
    assert rewrite(content) == content


def replace_pages(content, pages):
    result = MEDIA.replace_references(content, {}, "../media/", pages=pages, escapes_shortcodes=False)
    originals = {item["exported"]: item["original"] for item in result.replacements}
    assert restore_content(result.content, originals) == content
    return result.content


def test_each_spelling_of_a_link_has_an_address_that_the_content_does_not_contain():
    content = f"(article:{UUID}) (Article:{UUID}) (ARTICLE:{UUID})"
    assert replace_pages(content, {UUID: "/p/"}) == "(/p/) (/p/?2) (/p/?3)"
    assert replace_pages(f"{content} /p/?7", {UUID: "/p/"}) == "(/p/?8) (/p/?9) (/p/?10) /p/?7"


def test_many_spellings_of_a_link_take_as_long_as_those_of_a_file():
    letters = [index for index, letter in enumerate(UUID) if letter.isalpha()][:9]
    flags = itertools.islice(itertools.product((False, True), repeat=len(letters)), 400)
    uuids = [
        "".join(
            letter.upper() if index in letters and spelling[letters.index(index)] else letter
            for index, letter in enumerate(UUID)
        )
        for spelling in flags
    ]

    def measure(scheme):
        content = " ".join(f"({scheme}:{uuid})" for uuid in uuids) + " x" * 100_000
        before = process_time()
        assert replace_pages(content, {UUID: "/p/"}) != content
        return process_time() - before

    assert measure("article") < 20 * measure("media")


@given(
    st.lists(
        st.sampled_from([f"media:{UUID}", f"/media/{HASH}/cat.jpg", "(a.jpg)", "../media/cat.jpg", "#2", " "])
    )
)
def test_the_original_can_always_be_restored(words):
    rewrite("".join(words), shortcodes=True)


@pytest.mark.parametrize(
    ("content", "exported"),
    [
        ('{{< figure src="a.jpg" >}}', '{{</* figure src="a.jpg" */>}}'),
        ("{{% note %}}\nx\n{{% /note %}}", "{{%/* note */%}}\nx\n{{%/* /note */%}}"),
        ("{{</* x */>}}", "{{</*/* x */*/>}}"),
        ("{{< open", "&#123;{< open"),
        ("{{ page.title }} {% x %}", "{{ page.title }} {% x %}"),
    ],
)
def test_hugo_shows_shortcodes_and_does_not_run_them(content, exported):
    assert rewrite(content, shortcodes=True) == exported
    assert escape_shortcodes(content).content == exported


@pytest.mark.parametrize(
    ("address", "exported"),
    [
        (f"/media/{HASH}/cat.jpg", ("media/cat.jpg", None)),
        (f"/media/{HASH}/old.jpg", ("media/cat.jpg", f"/media/{HASH}/old.jpg")),
        (f"/media/{FORMER}/cat-400.webp", ("media/cat.jpg", f"/media/{FORMER}/cat-400.webp")),
        ("media/cat.jpg", ("media/cat.jpg", "media/cat.jpg")),
        ("https://other.example/cat.jpg", ("https://other.example/cat.jpg", None)),
        ("", ("", None)),
    ],
)
def test_the_address_of_a_picture_is_that_of_its_file(address, exported):
    assert MEDIA.get_picture_addresses(address, "media/") == exported
