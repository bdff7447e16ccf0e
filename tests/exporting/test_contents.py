"""What an export contains."""

from __future__ import annotations

import hashlib
import json
import re
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import unquote
from uuid import uuid4

import pytest
import yaml

from blogapi.content.articles.models import Article, FormerPath, WorkingCopy
from blogapi.content.articles.snapshots import dump_content, get_content
from blogapi.content.media.addresses import make_file_path
from blogapi.content.media.folder import get_folder
from blogapi.exporting import snapshot
from blogapi.parsing import parse_uuid
from blogapi.storage.database import db, transaction
from tests.conftest import ARTICLES
from tests.site.conftest import set_site
from tests.stored_pictures import add_paths, store_picture

__all__ = ["set_site"]


def read_folder(folder):
    """Return the contents of the files in a folder, and in the archives in it, by path."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    for name in [name for name in found if name.endswith(".zip")]:
        del found[name]
        with zipfile.ZipFile(folder / name) as archive:
            found |= {f"{name}/{member}": archive.read(member) for member in archive.namelist()}
    return found


def read_article(content):
    """Return the front matter and the content of an exported article."""
    _, front_matter, body = content.split(b"---\n", 2)
    return yaml.safe_load(front_matter), body


def test_public_articles_are_exported_with_what_they_need(run, blog, tmp_path):
    assert run("export", tmp_path).stdout == (
        f"3 public, 0 drafts, 1 media files.\n{tmp_path}: 12 written, 0 unchanged, 0 removed, 0 refused.\n"
        "1 draft, 1 scheduled and 1 waiting edit left out; --drafts exports them.\n"
    )
    files = read_folder(tmp_path)
    fields, body = read_article(files["articles/bread.md"])
    assert body.decode() == "# Flour\r\n\n---\n![loaf](../media/red.png)\t{{< x >}} {{ y }} \u2028"
    assert {name: fields[name] for name in fields if name not in ("lastmod", "blogapi")} == {
        "title": "Bread: a story",
        "date": "2026-01-01T00:00:00.000000+00:00",
        "slug": "bread",
        "categories": ["Kitchen"],
        "tags": ["Slow food", "2024"],
        "authors": ["Ada Lovelace"],
        "cover_image": "../media/red.png",
        "description": "On bread",
        "seo_title": "Bread!",
    }
    assert fields["blogapi"]["replacements"] == [
        {"exported": "../media/red.png", "original": f"media:{blog.uuid}"}
    ]
    assert read_article(files["articles/salt.txt"])[1] == b"a < b\r\n& c"
    assert read_article(files["articles/tea.html"])[1] == b'<p><img src="../media/red.png"></p>'
    assert hashlib.sha256(files["media/red.png"]).hexdigest() == blog.hash
    data = {name: yaml.safe_load(content) for name, content in files.items() if name.endswith(".yaml")}
    assert data["blogapi.yaml"]["contents"] == "public"
    assert [(item["slug"], item["cover_image"]) for item in data["categories.yaml"]] == [
        ("kitchen", "media/red.png")
    ]
    assert [item["name"] for item in data["tags.yaml"]] == ["Slow food", "2024"]
    assert [item["name"] for item in data["authors.yaml"]] == ["Ada Lovelace"]
    assert [(item["uuid"], item["file"]) for item in data["media.yaml"]] == [(str(blog.uuid), "red.png")]
    assert data["site.yaml"]["time_zone"] == "UTC"


def test_nothing_of_a_draft_is_exported(run, blog, tmp_path):
    run("export", tmp_path / "former", "--drafts")
    assert b"Secret" in read_folder(tmp_path)["former/articles/secret-plan.md"]
    assert b"Secret edits" in read_folder(tmp_path)["former/working-copies.json"]
    for target in ("former", "out.zip"):
        assert run("export", tmp_path / target).exit_code == 0
    for generator in ("hugo", "jekyll"):
        assert run("export", tmp_path / generator, "--for", generator).exit_code == 0
    for name, content in read_folder(tmp_path).items():
        assert b"secret" not in f"{name}\n".encode() + content.lower()
        assert b"blue" not in f"{name}\n".encode() + content
        assert b"working" not in f"{name}\n".encode() + content


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_the_working_copies_are_not_all_in_memory(run, app, make_article, tmp_path, monkeypatch, target):
    monkeypatch.setattr(snapshot, "_ARTICLES_PER_BATCH", 1)
    articles = [make_article(status="draft") for _ in range(30)]
    with app.app_context(), transaction():
        for article in articles:
            content = get_content(db.session.get(Article, article.uuid))
            edits = dump_content(replace(content, texts={**content.texts, "content": "x" * 500_000}))
            copy = {"article_id": article.uuid, "user_id": uuid4(), "base_version": 1}
            db.session.add(WorkingCopy(**copy, content=edits))
    run("export", tmp_path / "warm-up", "--drafts", "--dry-run")
    tracemalloc.start()
    try:
        assert run("export", tmp_path / target, "--drafts").exit_code == 0
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (content,) = (
        text for name, text in read_folder(tmp_path).items() if name.endswith("working-copies.json")
    )
    assert len(json.loads(content)) == 30
    assert peak < 15_000_000


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_no_picture_that_was_removed_is_exported(
    run, app, as_admin, make_article, make_guest, tmp_path, target
):
    pictures = {colour: store_picture(app, colour) for colour in ("red", "blue", "green", "yellow")}
    red, blue, green, yellow = (make_file_path(picture.hash, picture.name) for picture in pictures.values())
    ada = make_guest(name="Ada", avatar=yellow)
    article = make_article(
        content=f'<img src="{red}"><img src="{blue}">', cover_image=green, authors=[{"uuid": str(ada.uuid)}]
    )
    changes = {"content": f'<img src="{red}">', "cover_image": ""}
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json=changes).status_code == 200
    assert as_admin.patch(f"/api/v1/blog/authors/{ada.uuid}/", json={"avatar": ""}).status_code == 200
    assert run("export", tmp_path / target).exit_code == 0
    exported = b"".join(name.encode() + content for name, content in read_folder(tmp_path).items())
    assert [colour for colour, picture in pictures.items() if picture.hash.encode() in exported] == ["red"]


def test_an_article_lists_the_paths_of_its_current_version(run, app, as_admin, make_article, tmp_path):
    red, blue = (store_picture(app, colour) for colour in ("red", "blue"))
    article = make_article(content='<img src="img/red.png"><img src="img/blue.png">')
    make_article(title="Another", content=f'<img src="{make_file_path(blue.hash, blue.name)}">')
    with app.app_context():
        add_paths(article.uuid, {"img/red.png": red.uuid, "img/blue.png": blue.uuid})
    for content in ('<img src="img/red.png"><img src="img/blue.png">.', '<img src="img/red.png">'):
        as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"content": content})
    for options in ([], ["--drafts"]):
        run("export", tmp_path, *options)
        fields, _ = read_article(read_folder(tmp_path)[f"articles/{article.slug}.html"])
        assert fields["blogapi"]["replacements"] == [
            {"exported": "../media/red.png", "original": "img/red.png"}
        ]
        assert "blue" not in str(fields)


def test_former_paths_are_redirects_unless_a_page_has_the_address(
    run, app, as_admin, blog, make_article, tmp_path
):
    for slug, paths in (("a", ["/2009/a", "/bread"]), ("a-2", ["/2012/a", "/tea/", "/a-2"])):
        article = make_article(title=slug, slug=slug)
        with app.app_context(), transaction():
            db.session.add_all(FormerPath(path=path, article_id=article.uuid) for path in paths)
    run("export", tmp_path)
    files = read_folder(tmp_path)
    first, second = (read_article(files[f"articles/{name}.html"])[0] for name in ("a", "a-2"))
    assert (first["aliases"], second["aliases"]) == (["/2009/a"], ["/2012/a"])
    assert [item["path"] for item in second["blogapi"]["former_paths"]] == ["/2012/a", "/a-2", "/tea/"]
    assert yaml.safe_load(files["redirects.yaml"]) == [
        {"kind": "article", "from": "/2009/a", "to": "/a/"},
        {"kind": "article", "from": "/2012/a", "to": "/a-2/"},
    ]
    assert [item["path"] for item in first["blogapi"]["former_paths"]] == ["/2009/a", "/bread"]


@pytest.mark.parametrize("folder", ["notes", "caf%C3%A9/notes"])
def test_former_paths_are_below_the_folder_of_the_site(run, app, make_article, set_site, tmp_path, folder):
    set_site(url=f"https://blog.example/{folder}")
    article = make_article(slug="a")
    paths = [f"/{unquote(folder)}/2009/a", f"/{unquote(folder)}-old/a", "/elsewhere/a"]
    with app.app_context(), transaction():
        db.session.add_all(FormerPath(path=path, article_id=article.uuid) for path in paths)
    run("export", tmp_path)
    fields, _ = read_article(read_folder(tmp_path)["articles/a.html"])
    assert sorted(fields["aliases"]) == sorted(["/2009/a", *paths[1:]])


@pytest.mark.parametrize("path", ["/read?p={slug}", "/read#{slug}"])
def test_an_address_that_no_folder_can_have_is_not_exported(
    run, as_admin, make_article, set_site, tmp_path, path
):
    set_site(article_path=path)
    article = make_article(slug="former")
    assert as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "bread"}).status_code == 200
    run("export", tmp_path, "--for", "hugo")
    fields, _ = read_article(read_folder(tmp_path)["content/posts/bread.html"])
    assert (fields["slug"], fields.get("url"), fields.get("aliases")) == ("bread", None, None)


def test_drafts_and_archived_articles_are_exported_on_request(run, as_admin, blog, tmp_path):
    uuid = as_admin.get(ARTICLES, query_string={"slug": "bread"}).json[0]["uuid"]
    as_admin.patch(f"{ARTICLES}{uuid}/", json={"status": "archived", "slug": "rye"})
    run("export", tmp_path, "--drafts")
    files = read_folder(tmp_path)
    assert read_article(files["articles/secret-draft.md"])[0]["draft"] is True
    scheduled = read_article(files["articles/secret-plan.md"])[0]
    assert ("draft" in scheduled, scheduled["date"][:4]) == (False, "2099")
    assert "media/blue.png" in files
    fields, _ = read_article(files["articles/rye.md"])
    assert (fields["draft"], fields["aliases"]) == (True, ["/bread/"])
    assert [item["slug"] for item in fields["blogapi"]["former_slugs"]] == ["bread"]
    assert (fields["blogapi"]["status"], fields["blogapi"]["was_public"]) == ("archived", True)


def test_the_profile_of_a_user_is_exported_once_it_was_changed(run, as_admin, tmp_path):
    authors = "/api/v1/blog/authors/"
    profiles = {row["slug"]: row["uuid"] for row in as_admin.get(f"{authors}?fields=slug,uuid").json}
    assert len(profiles) > 1
    for bio in ("Sails.", ""):
        assert as_admin.patch(f"{authors}{profiles['mel']}/", json={"bio": bio}).status_code == 200
        run("export", tmp_path, "--drafts")
        exported = yaml.safe_load((tmp_path / "authors.yaml").read_text())
        assert [author["slug"] for author in exported] == ["mel"]


def test_the_layouts_of_hugo_and_jekyll(run, blog, tmp_path):
    run("site", "set", "time_zone=America/New_York", "article_path=/{year}/{slug}/")
    for generator in ("hugo", "jekyll"):
        run("export", tmp_path / generator, "--for", generator, "--drafts")
    files = read_folder(tmp_path)
    fields, body = read_article(files["hugo/content/posts/bread.md"])
    assert b"![loaf](/media/red.png)\t{{</* x */>}}" in body
    assert (fields["url"], fields["images"]) == ("/2025/bread/", ["/media/red.png"])
    assert read_article(files["hugo/content/posts/salt.html"])[0]["blogapi"]["content_type"] == "text"
    fields, body = read_article(files["jekyll/_posts/2025-12-31-bread.md"])
    assert b"![loaf](/media/red.png)\t{{< x >}}" in body
    assert (fields["permalink"], fields["image"]) == ("/2025/bread/", "/media/red.png")
    assert fields["render_with_liquid"] is False
    text = read_article(files["jekyll/_posts/2025-12-31-salt.html"])[1]
    assert text == b"<pre>a &lt; b\r\n&amp; c</pre>"
    assert files.keys() >= {
        *("hugo/data/site.yaml", "hugo/SHA256SUMS", "hugo/static/media/red.png"),
        *("jekyll/_data/site.yml", "jekyll/_SHA256SUMS", "jekyll/media/red.png"),
        *("hugo/data/working-copies.json", "jekyll/_data/working-copies.json"),
        "jekyll/_drafts/secret-draft.md",
    }


@pytest.mark.parametrize("content_type", ["text", "html", "markdown"])
@pytest.mark.parametrize("shortcode", ["{{< note >}}", "{{% note %}}", "{{% note"])
def test_hugo_runs_no_shortcode_of_an_article(run, make_article, tmp_path, content_type, shortcode):
    make_article(slug="code", title="Code", content=f"a {shortcode} b", content_type=content_type)
    run("export", tmp_path / "hugo", "--for", "hugo")
    (path,) = (tmp_path / "hugo/content/posts").glob("code.*")
    body = read_article(path.read_bytes())[1].decode()
    assert "note" in body
    assert re.search(r"\{\{[<%](?!/\*)", body) is None


def test_the_address_of_a_linked_article_contains_its_category(
    run, as_login, make_article, make_category, tmp_path
):
    as_login.patch("/api/v1/blog/site/", json={"article_path": "/{category}/{slug}/"})
    target = make_article(title="Tides", category=make_category(name="Sea"))
    make_article(title="Links", content=f"[a](article:{target.uuid})", content_type="markdown")
    run("export", tmp_path, "--for", "hugo")
    assert read_article(read_folder(tmp_path)["content/posts/links.md"])[1] == b"[a](/sea/tides/)"


def test_generators_get_the_addresses_of_linked_articles(run, make_article, tmp_path):
    target = make_article(title="Tides")
    hidden = make_article(title="Hidden", status="draft")
    references = f"article:{target.uuid}#b", f"Article:{target.uuid}", f"article:{hidden.uuid}"
    content = "".join(f"[a]({reference}) " for reference in references)
    make_article(title="Links", content=content, content_type="markdown")
    for generator in ("hugo", "jekyll"):
        run("export", tmp_path / generator, "--for", generator)
    run("export", tmp_path / "default")
    files = read_folder(tmp_path)
    exported = f"[a](/tides/#b) [a](/tides/?2) [a](article:{hidden.uuid}) "
    assert read_article(files["hugo/content/posts/links.md"])[1] == exported.encode()
    assert read_article(files["jekyll/_posts/2026-01-01-links.md"])[1] == exported.encode()
    assert read_article(files["default/articles/links.md"])[1] == content.encode()


def test_the_links_of_each_article_need_no_list_of_all_terms(run, make_article, tmp_path, monkeypatch):
    parsed = []
    monkeypatch.setattr(snapshot, "parse_uuid", lambda text: parsed.append(text) or parse_uuid(text))
    target = make_article(title="Tides")
    numbers = []
    for name in ("one", "more"):
        for number in range(3):
            content = f"[a](article:{target.uuid})"
            make_article(title=f"{name} {number}", content=content, content_type="markdown")
        parsed.clear()
        run("export", tmp_path / name, "--for", "hugo")
        numbers.append(len(parsed))
    assert numbers[0] == numbers[1] > 0


def test_generators_get_the_addresses_and_former_addresses_of_pages(
    run, as_login, as_admin, make_article, tmp_path
):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example/en"})
    pages = "/api/v1/blog/pages/"
    about = as_admin.post(pages, json={"title": "About", "status": "published"}).json["uuid"]
    team = {"title": "Team", "status": "published", "parent": about, "content_type": "markdown"}
    team = as_admin.post(pages, json={**team, "content": f"[a](article:{about})"}).json["uuid"]
    as_admin.patch(f"{pages}{about}/", json={"slug": "us"})
    make_article(title="Links", content=f"[a](article:{team}#b)", content_type="markdown")
    run("export", tmp_path / "hugo", "--for", "hugo")
    files = read_folder(tmp_path)
    assert read_article(files["hugo/content/posts/links.md"])[1] == b"[a](/us/team/#b)"
    (path,) = (path for path in files if path.endswith("team.md"))
    fields, content = read_article(files[path])
    assert (fields["aliases"], content) == (["/about/team/"], b"[a](/us/)")


def test_all_batches_of_articles_show_the_same_state_of_the_blog(app, as_admin, make_article, monkeypatch):
    articles = [make_article(title=f"Before {number}") for number in (1, 2, 3)]
    monkeypatch.setattr(snapshot, "_ARTICLES_PER_BATCH", 2)
    with app.app_context(), snapshot.open_snapshot(drafts=False) as state:
        read = state.read_articles()
        titles = [next(read)["title"]]
        # The client would use the session of the export in the same thread.
        with ThreadPoolExecutor(1) as pool:
            write = pool.submit(as_admin.patch, f"{ARTICLES}{articles[2].uuid}/", json={"title": "After"})
        assert write.result().status_code == 200, write.result().text
        titles += [article["title"] for article in read]
    assert titles == ["Before 1", "Before 2", "Before 3"]


def test_terms_with_the_same_name_are_told_apart_by_their_slugs(
    run, as_admin, make_category, make_article, tmp_path
):
    make_category(name="News")
    article = make_article(title="Bread", category=make_category(name="News", slug="other-news"))
    as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": "rye"})
    run("export", tmp_path)
    fields, _ = read_article((tmp_path / "articles/rye.html").read_bytes())
    assert (fields["categories"], fields["blogapi"]["category"]) == (["News"], "other-news")
    assert yaml.safe_load((tmp_path / "redirects.yaml").read_text()) == [
        {"kind": "article", "from": "/bread/", "to": "/rye/"}
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["file.txt"], "is a file; name a folder"),
        (["folder.zip"], "is a folder; choose another name"),
        (["file.txt/x"], "cannot be written (not a directory)"),
    ],
)
def test_a_target_that_cannot_be_written_is_named(run, tmp_path, words, message):
    (tmp_path / "file.txt").write_text("mine")
    (tmp_path / "folder.zip").mkdir()
    result = run("export", tmp_path / words[0], *words[1:])
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert (tmp_path / "file.txt").read_text() == "mine"


def test_a_target_must_have_a_name_outside_of_the_media_folder(app, run, blog):
    assert "is empty" in run("export", "").stderr
    assert run("export", get_folder(app).root / "out").exit_code == 1


@pytest.mark.parametrize(
    "target",
    [".", "instance", "instance/out", "..", "instance/out.zip", "other", "other/instance/x", "shelf"],
)
def test_no_export_lands_in_or_around_a_blog(run, instance, tmp_path, monkeypatch, target):
    home = tmp_path / "blogs" / "mine"
    for folder, name in ((home / "other", "secret_key"), (home / "shelf/theirs", "blog.db")):
        (folder / "instance").mkdir(parents=True)
        (folder / "instance" / name).touch()
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(home / "instance"))
    monkeypatch.chdir(home)
    before = sorted(home.rglob("*"))
    result = run("export", target)
    assert result.exit_code == 1 and "folder of a blog" in result.stderr
    assert sorted(home.rglob("*")) == before


def test_a_blog_with_another_name_is_found_at_any_depth(run, instance, tmp_path, monkeypatch):
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "a/b/c/state"))
    for target in (tmp_path, tmp_path / "a", tmp_path / "a/b/c/state"):
        assert "folder of a blog" in run("export", target).stderr
    assert run("export", tmp_path / "a/b/d").exit_code == 0


def test_an_export_may_lie_beside_a_blog_and_in_a_folder_named_instance(run, tmp_path, monkeypatch):
    """The archive may lie beside the instance; Hugo's settings do not make a folder a blog."""
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(tmp_path / "mine/instance"))
    (tmp_path / "instance").mkdir()
    (tmp_path / "instance/config.toml").write_text('baseURL = "/"\n', encoding="utf-8")
    for target in ("mine/export", "mine/export", "mine/blog.zip", "instance"):
        result = run("export", tmp_path / target)
        assert (target, result.exit_code) == (target, 0)
    (tmp_path / "instance/config.toml").write_text("BIN_DAYS = 3\n", encoding="utf-8")
    assert run("export", tmp_path / "instance").exit_code == 1


def test_a_public_export_says_what_it_left_out(run, blog, make_article, tmp_path):
    make_article(title="Known to few", status="unlisted")
    for number in range(2):
        make_article(title=f"Old {number}", status="archived")
    expected = {"draft": 1, "scheduled": 1, "unlisted": 1, "archived": 2, "waiting_edits": 1}
    assert json.loads(run("export", tmp_path / "a", "--json").stdout)["left_out"] == expected
    assert run("export", tmp_path / "b").stdout.splitlines()[-1] == (
        "1 draft, 1 scheduled, 1 unlisted, 2 archived and 1 waiting edit left out; --drafts exports them."
    )
    whole = run("export", tmp_path / "c", "--drafts")
    assert whole.exit_code == 0 and "left out" not in whole.stdout


def test_an_export_of_a_public_blog_leaves_nothing_out(run, make_article, tmp_path):
    make_article()
    result = run("export", tmp_path / "a")
    assert result.exit_code == 0 and "left out" not in result.stdout


@pytest.mark.parametrize("target", ["-", "blog.json", "Blog.JSON"])
def test_a_target_for_json_says_what_to_use(run, tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    result = run("export", target)
    assert (result.exit_code, "GET /api/v1/blog/articles/?fields=*" in result.stderr) == (2, True)
    assert [*tmp_path.iterdir()] == []


def test_a_dry_run_writes_nothing(run, tmp_path):
    for target in ("out", "out.zip"):
        report = json.loads(run("export", tmp_path / target, "--dry-run", "--json").stdout)
        assert (report["dry_run"], report["files"]["refused"]) == (True, 0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("target", ["out", "out.zip"])
def test_a_full_disk_is_reported(run, tmp_path, monkeypatch, target):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(snapshot.Snapshot, "read_articles", fail)
    result = run("export", tmp_path / target)
    assert (result.exit_code, "The disk is full; the export is incomplete." in result.stderr) == (1, True)
    assert not (tmp_path / target).is_file()


def test_hugo_gets_the_pages_of_the_terms_of_public_articles(run, as_admin, blog, tmp_path):
    for kind, slug, fields in (
        ("tags", "slow-food", {"description": "No hurry", "seo_description": "Slow: food"}),
        ("categories", "kitchen", {"description": "Where we cook"}),
        ("authors", "secret-eve", {"bio": "Hidden"}),
    ):
        (term,) = as_admin.get(f"/api/v1/blog/{kind}/?slug={slug}").json
        assert as_admin.patch(f"/api/v1/blog/{kind}/{term['uuid']}/", json=fields).status_code == 200
    as_admin.post("/api/v1/blog/tags/", json={"name": "unused", "description": "Hidden"})
    run("export", tmp_path / "hugo", "--for", "hugo", "--drafts")
    run("export", tmp_path / "jekyll", "--for", "jekyll", "--drafts")
    pages = {path: text for path, text in read_folder(tmp_path).items() if path.endswith("_index.md")}
    assert pages == {
        "hugo/content/tags/slow-food/_index.md": b'---\ntitle: Slow food\ndescription: "Slow: food"\n---\n',
        "hugo/content/categories/kitchen/_index.md": pages["hugo/content/categories/kitchen/_index.md"],
    }
    assert b"description: Where we cook\nimages:\n" in pages["hugo/content/categories/kitchen/_index.md"]


@pytest.mark.parametrize(
    ("options", "is_exported"),
    [(["--drafts"], True), ([], False), (["--drafts", "--for", "hugo"], False)],
)
def test_only_the_own_layout_with_drafts_has_the_theme(run, blog, instance, tmp_path, options, is_exported):
    (instance / "theme/fonts").mkdir(parents=True)
    (instance / "theme/fonts/a.woff2").write_bytes(b"font")
    (instance / "theme/.hidden").write_bytes(b"x")
    assert run("export", tmp_path / "out", *options).exit_code == 0
    themes = {name: content for name, content in read_folder(tmp_path / "out").items() if "theme" in name}
    assert themes == ({"theme/fonts/a.woff2": b"font"} if is_exported else {})


def test_an_export_says_that_blogapi_shows_the_blog(run, blog, set_site, tmp_path):
    assert run("export", tmp_path / "off", "--drafts").exit_code == 0
    set_site(url="https://blog.example", built_in=True)
    assert run("export", tmp_path / "public").exit_code == 0
    assert run("export", tmp_path / "on", "--drafts").exit_code == 0
    sites = [yaml.safe_load(read_folder(tmp_path / name)["site.yaml"]) for name in ("off", "public", "on")]
    assert [site.get("built_in") for site in sites] == [None, None, True]
