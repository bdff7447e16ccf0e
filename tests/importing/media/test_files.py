"""Looks up the files to which posts refer, in the folders of several kinds of sites."""

from __future__ import annotations

import os
import sys
import unicodedata
from dataclasses import replace

import pytest

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.media.file_lookup import MediaFileFinder
from blogapi.importing.media.imported_media import MediaImporter
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.media_references import list_references, may_contain_references, split_srcset

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has another file system")


@pytest.fixture
def site(tmp_path):
    """The folder of a site, with a configuration file."""
    return make(tmp_path / "site/_config.yml").parent


def make(path):
    """Create a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    return path


def find(reference, post, *assets):
    """Return what a post in an imported folder refers to."""
    found = MediaFileFinder(assets).find_file(reference, post, post.parent)
    return found and found.path


@pytest.mark.parametrize(
    ("post", "picture", "reference"),
    [
        ("content/post/a/index.md", "content/post/a/cat.png", "cat.png"),
        ("content/a.md", "content/cat.png", "./cat.png?raw=true#top"),
        ("source/_posts/a.md", "source/_posts/a/cat.png", "cat.png"),
        ("source/_posts/a.md", "source/images/cat.png", "/images/cat.png"),
        ("content/a.md", "static/img/cat.png", "/img/cat.png"),
        ("content/a.md", "static/img/cat.png", "img/cat.png"),
        ("src/posts/a.md", "public/cat.png", "/cat.png"),
        ("src/posts/a.md", "src/img/cat.png", "@/img/cat.png"),
        # Zola and Hugo: the folder of the page below the folder for static files.
        ("content/blog/a.md", "static/blog/a/cat.png", "cat.png"),
        ("content/blog/a.md", "static/blog/a/img/cat.png", "./img/cat.png"),
        ("content/blog/a/index.md", "static/blog/a/cat.png", "cat.png"),
        ("content/blog/2020-01-02-a.md", "static/blog/a/cat.png", "cat.png"),
        ("content/blog/2020-01-02-a.md", "static/blog/2020-01-02-a/cat.png", "cat.png"),
        ("content/blog/a.fr.md", "static/blog/a/cat.png", "cat.png"),
        ("content/fr/blog/a.md", "static/fr/blog/a/cat.png", "cat.png"),
        ("content/fr/blog/a.md", "static/blog/a/cat.png", "cat.png"),
        # Hugo: one folder for each language.
        ("content/fr/blog/a.md", "content/fr/img/cat.png", "/img/cat.png"),
        ("content/fr/blog/a/index.md", "content/fr/blog/a/cat.png", "/blog/a/cat.png"),
        ("content/fr/blog/a/index.md", "content/en/blog/a/cat.png", "cat.png"),
        ("content/zh-CN/blog/a/index.md", "content/en/blog/a/img/cat.png", "img/cat.png"),
        ("_posts/a.md", "assets/cat.png", "/assets/cat.png"),
        ("_posts/a.md", "assets/cat.png", "../../../assets/cat.png"),
        ("_posts/a.md", "assets/cat.png", "{{ site.baseurl }}/assets/cat.png"),
        ("_posts/a.md", "assets/cat.png", "%7B%7Bsite.baseurl%7D%7D/assets/cat.png"),
        ("_posts/a.md", "assets/cat.png", "{{ '/assets/cat.png' | relative_url }}"),
        ("content/a.md", "content/images/cat.png", "{static}/images/cat.png"),
        ("_posts/a.md", "img/a b ü.png", "/img/a%20b%20%C3%BC.png"),
        ("_posts/a.md", "img/a b ü.png", "/img/a b u\u0308.png"),
        ("_posts/a.md", "img/50%25.png", "/img/50%25.png"),
        ("_posts/a.md", "img/50%25.png", "/img/50%2525.png"),
        ("_posts/a.md", "img/cat.png", "..\\img\\cat.png"),
        ("_posts/a.md", "img/C#.png", "/img/C#.png"),
    ],
)
def test_a_file_is_found(site, post, picture, reference):
    path = make(site / picture)
    assert find(reference, make(site / post)) == path


def test_the_file_beside_the_post_is_preferred(site):
    post = make(site / "content/a.md")
    make(site / "static/cat.png")
    beside = make(site / "content/cat.png")
    assert find("cat.png", post) == beside
    assert find("/cat.png", post) == site / "static/cat.png"


def test_the_nearest_site_above_each_post_is_used(tmp_path):
    files = MediaFileFinder()
    make(tmp_path / "package.json")
    for name in ("one", "two"):
        make(tmp_path / name / "hugo.toml")
        picture = make(tmp_path / name / "static/cat.png")
        found = files.find_file("/cat.png", make(tmp_path / name / "content/posts/a.md"), tmp_path)
        assert found.path == picture


def test_without_a_site_only_folders_of_pictures_beside_the_posts_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("blogapi.importing.media.file_lookup.MAX_OUTER_FOLDERS", 1)
    post, picture = make(tmp_path / "posts/a.md"), make(tmp_path / "static/a.png")
    make(tmp_path / "other/c.png")
    make(tmp_path / "d.png")
    assert find("/a.png", post) == find("../static/a.png", post) == picture
    assert [find(path, post) for path in ("/other/c.png", "../other/c.png", "../d.png")] == [None] * 3


def test_further_folders_come_before_the_folders_of_the_site(site, tmp_path):
    make(site / "static/a.png")
    one, two = make(tmp_path / "one/a.png"), make(tmp_path / "two/b/b.png")
    folders = (tmp_path / "one", tmp_path / "two")
    post = make(site / "posts/post.md")
    assert (find("/a.png", post, *folders), find("b/b.png", post, *folders)) == (one, two)


@pytest.mark.parametrize(
    ("folder", "picture", "reference"),
    [
        ("uploads", "2020/01/x.jpg", "/wp-content/uploads/2020/01/x.jpg"),
        ("wp-content", "uploads/2020/01/x.jpg", "/blog/wp-content/uploads/2020/01/x.jpg"),
        ("backup", "uploads/2020/01/x.jpg", "/wp-content/uploads/2020/01/x.jpg?w=300"),
        ("backup", "wp-content/uploads/2020/01/x.jpg", "/wp-content/uploads/2020/01/x.jpg"),
        ("media", "2012/01/x.jpg", "/wp-content/uploads/sites/5/2012/01/x.jpg"),
        ("images", "2020/01/x.jpg", "/content/images/2020/01/x.jpg"),
        ("images", "2020/01/x.jpg", "/content/images/size/w600/2020/01/x.jpg"),
        ("images", "2020/01/x.jpg", "/content/images/size/w600h400/format/webp/2020/01/x.jpg"),
        ("content", "images/2020/01/x.jpg", "/content/images/2020/01/x.jpg"),
        ("uploads", "x.jpg", "/wp-content/uploads/x.jpg"),
        ("album", "x.jpg", "/-a1/b2/s1600/x.jpg"),
        ("album", "x y.jpg", "/-a1/b2/s1600/x%2By.jpg"),
        ("images", "1_x.jpeg", "/max/800/1*x.jpeg"),
        ("uploads", "2020/01/x-scaled.jpg", "/wp-content/uploads/2020/01/x-300x200.jpg"),
        ("uploads", "2020/01/x.jpg", "/wp-content/uploads/2020/01/x-scaled.jpg"),
        ("uploads", "2020/01/x.jpg", "/wp-content/uploads/2020/01/x-e1577836800.jpg"),
        ("uploads", "2020/01/x.jpg", "/wp-content/uploads/2020/01/x-e1577836800-300x200.jpg"),
        ("uploads", "2020/01/x-300x200.jpg", "/wp-content/uploads/2020/01/x-300x200.jpg"),
        ("pictures", "x.jpg", "x-300x200.jpg"),
    ],
)
def test_the_folders_that_the_user_names_can_be_any_part_of_the_former_blog(
    tmp_path, folder, picture, reference
):
    path = make(tmp_path / folder / picture)
    assert find(reference, make(tmp_path / "elsewhere/export.xml"), tmp_path / folder) == path


def test_the_original_of_an_upload_is_preferred_to_its_copies(tmp_path):
    post = make(tmp_path / "elsewhere/export.xml")
    uploads = tmp_path / "uploads"
    small, original = make(uploads / "2020/x-30x20.jpg"), make(uploads / "2020/x.jpg")
    assert find("/wp-content/uploads/2020/x-30x20.jpg", post, uploads) == original
    assert find("/2020/x-30x20.jpg", post, uploads) == small
    scaled = make(uploads / "2020/x-scaled.jpg")
    assert find("/wp-content/uploads/2020/x-30x20.jpg", post, uploads) == scaled


def test_a_name_alone_does_not_stand_for_a_picture_in_another_folder(tmp_path):
    post = make(tmp_path / "elsewhere/export.xml")
    make(tmp_path / "uploads/2020/02/x.jpg")
    make(tmp_path / "uploads/x.jpg")
    for reference in ("/wp-content/uploads/2020/01/x.jpg", "/2020/01/x.jpg", "/01/x.jpg"):
        assert find(reference, post, tmp_path / "uploads") is None


def test_a_name_without_a_folder_is_found_in_the_imported_folder_if_it_is_unique(tmp_path):
    post, picture = make(tmp_path / "vault/notes/a.md"), make(tmp_path / "vault/attachments/Ä b.png")
    make(tmp_path / "vault/.trash/Ä b.png")
    make(tmp_path / "outside.png")
    files = MediaFileFinder()
    found = files.find_file("a\u0308%20b.png", post, tmp_path / "vault")
    assert (found.path, found.is_elsewhere) == (picture, True)
    assert files.find_file("attachments/Ä b.png", post, tmp_path / "vault").path == picture
    for reference in ("/Ä b.png", "x/Ä b.png", "outside.png", "missing.png"):
        assert files.find_file(reference, post, tmp_path / "vault") is None
    make(tmp_path / "vault/other/ä B.png")
    assert MediaFileFinder().find_file("Ä b.png", post, tmp_path / "vault") is None


def test_a_file_of_a_record_exists_if_it_is_found(tmp_path):
    make(tmp_path / "uploads/x.jpg")
    (tmp_path / "uploads/folder.jpg").mkdir()
    fields = {"title": "A", "content": "", "content_type": "html", "status": "draft", "published_at": None}
    record = ArticleRecord(key="wordpress:e:1", path=tmp_path / "export.xml", **fields)
    media = MediaImporter()
    paths = ("/uploads/x.jpg", "/uploads/y.jpg", "/uploads/folder.jpg", "https://e.org/uploads/x.jpg")
    assert [media.has_file(path, record) for path in paths] == [True, False, False, False]
    assert not media.has_file(paths[0], replace(record, path=None))


def test_a_numbered_name_in_an_album_stands_for_no_picture(tmp_path):
    post, picture = make(tmp_path / "elsewhere/feed.atom"), make(tmp_path / "album/x.jpg")
    assert find("/a/s1600/x.jpg", post, picture.parent) == picture
    make(tmp_path / "album/x(1).jpg")
    assert find("/a/s1600/x.jpg", post, picture.parent) is None


@pytest.mark.parametrize("folder", ["wp-content/uploads", "uploads"])
def test_uploads_beside_an_export_are_found(tmp_path, folder):
    path = make(tmp_path / folder / "2020/01/x.jpg")
    post = make(tmp_path / "export.xml")
    assert find("/blog/wp-content/uploads/2020/01/x.jpg", post) == path


@POSIX
@pytest.mark.skipif(sys.platform == "darwin", reason="the file system knows only one Unicode form")
def test_the_name_with_the_same_case_is_preferred(site):
    post = make(site / "posts/post.md")
    for name in ("GRÜN.png", unicodedata.normalize("NFD", "Grün.png")):
        make(site / "img" / name)
    files = MediaFileFinder()
    same, other = (files.find_file(f"/img/{name}", post, post.parent) for name in ("Grün.png", "grün.PNG"))
    assert (same.path.name, same.differs_in_case) == (unicodedata.normalize("NFD", "Grün.png"), False)
    assert other.differs_in_case


@pytest.mark.parametrize(
    "reference",
    [
        *("../../secret.png", "/../../secret.png", "..%2f..%2fsecret.png", "..\\..\\secret.png"),
        *("posts", "/", "..", "a\x00b.png", "%00", "{{ page.image }}", "//example.org/a.png", "x" * 300),
    ],
)
def test_nothing_outside_of_the_site_is_found(site, tmp_path, reference):
    make(tmp_path / "secret.png")
    assert find(reference, make(site / "posts/post.md")) is None
    assert find((tmp_path / "secret.png").as_posix(), site / "posts/post.md") is None


@POSIX
def test_a_link_out_of_the_site_and_a_pipe_are_refused(site, tmp_path):
    make(tmp_path / "secret.png")
    post, real = make(site / "posts/post.md"), make(site / "img/real.png")
    (site / "img/link.png").symlink_to(tmp_path / "secret.png")
    (site / "img/folder").symlink_to(tmp_path)
    (site / "img/inner.png").symlink_to(real)
    os.mkfifo(site / "img/pipe.png")
    for name in ("link.png", "folder/secret.png"):
        with pytest.raises(RefusedFile, match="outside of the site"):
            find(f"/img/{name}", post)
    with pytest.raises(RefusedFile, match="not a regular file"):
        find("/img/pipe.png", post)
    assert find("/img/inner.png", post) == real
    assert find("/img/folder/secret.png", post, tmp_path) == tmp_path / "secret.png"


@pytest.mark.parametrize(
    ("html", "paths"),
    [
        ('<img src="a.png?x=1&amp;y=2" alt="A  cat">', ["a.png?x=1&y=2"]),
        ('<img srcset="a.png, b,c.png 2x,d.png 3x" src="a.png">', ["a.png", "b,c.png", "d.png"]),
        ('<source srcset="a.webp" type="image/webp">', ["a.webp"]),
        ('<video src="a.mp4" poster="a.png"></video>', ["a.mp4", "a.png"]),
        ('<audio src="a.mp3"></audio>', ["a.mp3"]),
        ('<a href="a.PDF#page=2">a</a><a href="b.html">b</a><a href="c">c</a>', ["a.PDF#page=2"]),
        ('<img src="https://e.org/a.png"><img src="//e.org/a.png"><img src="data:image/png;base64,AA">', []),
        ('<img src="#a"><img src=""><img alt="a.png"><p title="a.png">a.png</p>', []),
    ],
)
def test_references_are_read_from_html(html, paths):
    assert [one.path for one in list_references(html, {"pdf", "png"})] == paths


def test_a_reference_has_the_first_alternative_text():
    html = (
        '<a href="a.png"><img src="a.png"></a><img src="a.png" alt="A &lt; \x7fB"><img src="a.png" alt="C">'
    )
    assert [one.alt for one in list_references(html, {"png"})] == ["A < B"]


@pytest.mark.parametrize("srcset", ["", " , ", "a.png" + ", " * 100_000, "a " * 100_000])
def test_a_strange_srcset_is_split_quickly(srcset):
    assert len(list(split_srcset(srcset))) <= 1


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        *(("![](a.png)", True), ("![]( <a.png>)", True), ("![a][1]\n\n[1]: a.png", True)),
        *(("<IMG SRC = a.png>", True), ("<img srcset='https://e.org/a.png, b.png'>", True)),
        *(("[a](a.PDF)", True), ("<a href='a.pdf'>a</a>", True), ("<video poster='a'>", True)),
        *(("![](https://e.org/a.png)", False), ("Read a.pdf", False), ("[a](b.html)", False)),
    ],
)
def test_content_without_local_references_is_recognised_without_rendering(content, expected):
    assert may_contain_references(content, {"pdf", "png"}) == expected
