"""The import takes the pictures and other files of a blog into the media library."""

from __future__ import annotations

import json
import os
import unicodedata

import pytest
from PIL import Image
from sqlalchemy import select

from blogapi.content.articles import service as article_service
from blogapi.content.articles.article_content import ArticleInput
from blogapi.content.articles.models import Article
from blogapi.content.media import images
from blogapi.content.media import service as media_service
from blogapi.content.media.models import Media, MediaPath
from blogapi.importing.media import imported_media
from blogapi.storage.database import WRITE_TRANSACTION_KEY, db
from tests.conftest import ARTICLES


@pytest.fixture
def site(tmp_path):
    """The folder of a site, with a configuration file."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "_config.yml").write_text("title: Mimi", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def quick_images(request, monkeypatch):
    """Pictures are processed without a worker, except in tests with the fixture `worker`."""
    if "worker" not in request.fixturenames:
        monkeypatch.setattr(images, "process_image", copy)


@pytest.fixture
def worker():
    """Pictures are processed by a worker."""


def copy(source, type, folder):
    """Copy a picture in place of `images.process_image`."""
    path = folder / "image"
    path.write_bytes(source.read_bytes())
    return images.ProcessedImage(path, 40, 30, is_still=True)


@pytest.fixture
def run(app, people):
    """Imports a folder and returns the report."""

    def run(folder, *options):
        words = ["import", str(folder), "--author", "ada", "--json", *map(str, options)]
        result = app.test_cli_runner().invoke(args=words)
        assert result.stdout, result.stderr
        return json.loads(result.stdout)

    return run


@pytest.fixture
def library(app):
    """Returns the names of the files in the library with their alt texts."""

    def rows():
        with app.app_context():
            return sorted(map(tuple, db.session.execute(select(Media.name, Media.alt))))

    return rows


@pytest.fixture
def paths(app):
    """Returns the paths that stand for files, with the hash of each file."""

    def rows():
        with app.app_context():
            statement = select(MediaPath.path, Media.hash).join(Media, Media.uuid == MediaPath.media_id)
            return {row.path: row.hash for row in db.session.execute(statement)}

    return rows


@pytest.fixture
def article(app):
    """Returns the only article."""

    def row():
        with app.app_context():
            return db.session.scalars(select(Article)).one()

    return row


def draw(path, color="red"):
    """Create a picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (40, 30), color).save(path)
    return path


def write(path, text, **front):
    """Create a post with a title, a date and further front matter."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = {"title": path.parent.name + path.stem, "date": "2024-05-01"} | front
    lines = "\n".join(f"{name}: {json.dumps(value)}" for name, value in fields.items())
    path.write_text(f"---\n{lines}\n---\n{text}\n", encoding="utf-8")
    return path


def counts(report):
    """Return the numbers of references that are not zero."""
    return {name: number for name, number in report["media"].items() if number}


def only(report):
    """Return the report about the only file with references."""
    (media,) = [file["media"] for file in report["files"] if file["media"]]
    return media


# Where files are looked up


def test_the_html_and_the_cover_of_an_article_show_the_files(run, site, as_reader):
    draw(site / "posts/a b.png")
    draw(site / "static/cover.png", "blue")
    draw(site / "static/new.png", "green")
    post = write(site / "posts/post.md", '![Cat](<a b.png>) <img srcset="/new.png 2x">', cover="cover.png")
    run(site / "posts")
    (shown,) = as_reader.get(f"{ARTICLES}?fields=*,html,cover").json
    assert shown["content"].startswith("![Cat](<a b.png>)")
    assert shown["html"].count("/a-b.png") == shown["html"].count("/new.png") == 1
    assert (shown["cover"]["width"], shown["cover_image"].rpartition("/")[2]) == (40, "cover.png")
    (site / "posts/later.png").write_bytes(post.read_bytes())
    write(post, "![](later.png)")
    run(site / "posts")
    draw(site / "posts/later.png", "yellow")
    run(site / "posts")
    (shown,) = as_reader.get(f"{ARTICLES}?fields=html").json
    assert '/later.png"' in shown["html"]
    draw(site / "posts/later.png", "black")
    run(site / "posts")
    (changed,) = as_reader.get(f"{ARTICLES}?fields=html").json
    assert '/later.png"' in changed["html"]
    assert changed != shown


def test_the_assets_option_names_further_folders(worker, run, site, tmp_path):
    draw(tmp_path / "one/a.png")
    draw(tmp_path / "two/b/b.png", "blue")
    write(site / "posts/post.md", "![](/a.png) ![](b/b.png)")
    assert counts(run(site / "posts")) == {"missing": 2}
    options = ("--assets", tmp_path / "one", "--assets", tmp_path / "two")
    report = run(site / "posts", *options)
    assert counts(report) == {"new": 2}, report


def test_a_name_in_another_case_is_found_and_reported(run, site):
    draw(site / "img" / unicodedata.normalize("NFD", "Grün.PNG"))
    write(site / "posts/a.md", "![](/img/grün.png)")
    write(site / "posts/b.md", f"![](/img/{unicodedata.normalize('NFC', 'Grün.PNG')})")
    report = run(site / "posts")
    assert counts(report) == {"new": 1, "known": 1}
    first, second = report["files"]
    if not (site / "IMG").exists():
        assert "differs in upper and lower case" in first["notes"][-1]
    assert second["notes"] == []


# What is not read


def test_a_refused_picture_does_not_stop_its_post(run, app, site, library):
    app.config["MAX_MEDIA_SIZE"] = 5_000
    (site / "posts").mkdir()
    (site / "posts/no.php").write_bytes(b"<?php")
    (site / "posts/big.png").write_bytes(b"x" * 5_001)
    draw(site / "posts/good.png")
    write(site / "posts/post.md", "![](no.php) ![](big.png) ![](good.png) ![](gone.png)")
    report = run(site / "posts")
    assert counts(report) == {"new": 1, "missing": 1, "refused": 2}
    (file,) = [file for file in report["files"] if file["media"]]
    assert file["result"] == "created"
    assert "Missing media files: “gone.png”." in file["notes"]
    assert any(note.startswith("“big.png” was not imported: It has 5,001 bytes") for note in file["notes"])


def test_lost_text_of_a_drawing_is_reported_once(worker, run, site):
    (site / "posts").mkdir()
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject>a</foreignObject></svg>'
    (site / "posts/a.svg").write_text(drawing, encoding="utf-8")
    for name in "ab":
        write(site / f"posts/{name}.md", "![](a.svg)")
    report = run(site / "posts")
    assert counts(report) == {"new": 1, "known": 1}
    notes = [note for file in report["files"] for note in file["notes"]]
    assert [note[:40] for note in notes if "foreignObject" in note] == [
        "“a.svg”: The texts in <foreignObject> we"
    ]


def test_a_broken_picture_is_reported_and_processed_once(worker, run, site, monkeypatch):
    processed, process = [], images.process_image

    def record(*arguments):
        processed.append(arguments)
        return process(*arguments)

    monkeypatch.setattr(images, "process_image", record)
    picture = draw(site / "posts/cat.png")
    picture.write_bytes(picture.read_bytes()[:-30])
    for name in "ab":
        write(site / f"posts/{name}.md", "![](cat.png)")
    monkeypatch.setattr("blogapi.importing.storing.service.MAX_BATCH_ARTICLES", 1)
    report = run(site / "posts")
    assert counts(report) == {"refused": 2}
    (refused,) = report["files"][0]["media"]["refused"]
    assert (refused["path"], refused["reason"][:21]) == ("cat.png", "The image is damaged ")
    assert len(processed) == 1


def test_no_picture_is_processed_after_the_library_is_full(run, app, site, monkeypatch):
    processed = []

    def record(*arguments):
        processed.append(arguments)
        return copy(*arguments)

    monkeypatch.setattr(images, "process_image", record)
    app.config["MEDIA_GIGABYTES"] = 0
    for name, color in (("a", "red"), ("b", "blue")):
        draw(site / f"posts/{name}.png", color)
        write(site / f"posts/{name}.md", f"![]({name}.png)")
    monkeypatch.setattr("blogapi.importing.storing.service.MAX_BATCH_ARTICLES", 1)
    report = run(site / "posts")
    assert (counts(report), report["counts"]["created"]) == ({"refused": 2}, 2)
    assert len(processed) == 1


def test_the_number_of_references_of_an_article_is_limited(run, site, monkeypatch):
    monkeypatch.setattr(imported_media, "MAX_REFERENCES", 2)
    write(site / "posts/post.md", "![](1.png) ![](2.png) ![](3.png)")
    report = run(site / "posts")
    assert only(report)["missing"] == ["1.png", "2.png"]
    assert report["files"][0]["notes"][0] == "Only the first 2 of its 3 media files were imported."


# Covers and alternative texts


def test_the_cover_becomes_the_address_of_a_file(run, site, article):
    draw(site / "img/cat.png")
    write(site / "posts/post.md", "Text", background="../img/cat.png")
    assert counts(run(site / "posts")) == {"new": 1}
    assert article().cover_image.startswith("/media/")


def test_a_missing_cover_stays_as_it_is_unless_it_is_no_url(run, site, article):
    post = write(site / "posts/post.md", "Text", cover="/img/cat.png")
    assert only(run(site / "posts"))["missing"] == ["/img/cat.png"]
    assert article().cover_image == "/img/cat.png"
    write(post, "Text", cover="/img/my cat.png")
    assert only(run(site / "posts"))["missing"] == ["/img/my cat.png"]
    assert article().cover_image == ""


def test_a_file_gets_the_first_alternative_text(run, site, library):
    draw(site / "posts/cat.png")
    draw(site / "posts/dog.png", "blue")
    write(site / "posts/a.md", "![](cat.png)", image="dog.png", image_alt="A dog")
    write(site / "posts/b.md", "![A *cat*](cat.png) ![Another](dog.png)")
    write(site / "posts/c.md", "![Later](cat.png)")
    run(site / "posts")
    assert library() == [("cat.png", "A cat"), ("dog.png", "A dog")]


def test_an_empty_alternative_text_is_filled_by_a_later_article_but_not_again(app, run, site, library):
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "![](cat.png)")
    run(site / "posts")
    write(site / "posts/b.md", "![A cat](cat.png)")
    run(site / "posts")
    assert library() == [("cat.png", "A cat")]


# Importing again


def test_equal_files_are_stored_once_and_a_second_import_prepares_nothing(run, site, library, monkeypatch):
    draw(site / "posts/cat.png")
    draw(site / "static/copy.png")
    write(site / "posts/a.md", "![](cat.png)")
    write(site / "posts/b.md", "![](/copy.png)", cover="cat.png")
    assert counts(run(site / "posts")) == {"new": 1, "known": 2}

    def refuse(*_):
        raise AssertionError("The file is prepared again.")

    monkeypatch.setattr(media_service, "prepare_file", refuse)
    report = run(site / "posts")
    assert (counts(report), report["counts"]["unchanged"]) == ({"known": 3}, 2)
    assert len(library()) == 1


def test_a_file_that_the_library_has_is_known(app, run, site, library, paths):
    with app.app_context(), media_service.prepare_file(draw(site / "posts/cat.png"), "mimi.png") as prepared:
        media_service.store_file(prepared)
    write(site / "posts/a.md", "![](cat.png)")
    assert counts(run(site / "posts")) == {"known": 1}
    assert (len(library()), len(paths())) == (1, 1)


def test_a_changed_picture_replaces_the_former_one_though_its_post_has_not_changed(
    run, site, article, library, paths
):
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "![](cat.png)", cover="cat.png")
    run(site / "posts")
    before, cover = paths(), article().cover_image
    draw(site / "posts/cat.png", "blue")
    report = run(site / "posts")
    assert (counts(report), report["counts"]["updated"]) == ({"new": 1}, 1)
    assert (paths().keys(), len(library())) == (before.keys(), 2)
    assert paths() != before
    assert article().cover_image == f"/media/{paths()['cat.png']}/cat.png" != cover
    assert run(site / "posts")["counts"]["unchanged"] == 1


def test_a_picture_that_was_replaced_is_unused_unless_a_former_version_shows_it(app, run, site):
    draw(site / "posts/cat.png")
    draw(site / "posts/dog.png", "green")
    write(site / "posts/a.md", "![](cat.png)", cover="dog.png")
    run(site / "posts")
    draw(site / "posts/cat.png", "blue")
    draw(site / "posts/dog.png", "yellow")
    run(site / "posts")
    with app.app_context():
        unused = db.session.execute(select(Media.name, Media.created).where(Media.unused_since.is_not(None)))
        first = db.session.scalar(
            select(Media.created).where(Media.name == "cat.png").order_by(Media.created)
        )
        # The cover is an address, which the former version contains.
        assert list(unused) == [("cat.png", first)]


def test_a_picture_that_was_missing_is_taken_later(run, site, article, paths):
    write(site / "posts/a.md", "![](cat.png)", cover="dog.png")
    assert counts(run(site / "posts")) == {"missing": 2}
    draw(site / "posts/cat.png")
    assert counts(run(site / "posts")) == {"new": 1, "missing": 1}
    draw(site / "posts/dog.png", "blue")
    report = run(site / "posts")
    assert (counts(report), report["counts"]["updated"]) == ({"new": 1, "known": 1}, 1)
    assert sorted(paths()) == ["cat.png", "dog.png"]
    assert article().cover_image.startswith("/media/")


def test_a_picture_that_is_gone_later_stays_in_the_article(run, site, article, paths):
    picture = draw(site / "posts/cat.png")
    post = write(site / "posts/a.md", "![](cat.png)", cover="cat.png")
    run(site / "posts")
    picture.unlink()
    report = run(site / "posts")
    assert (counts(report), report["counts"]["unchanged"]) == ({"known": 1}, 1)
    write(post, "![](cat.png) more", cover="cat.png")
    assert run(site / "posts")["counts"]["updated"] == 1
    assert (list(paths()), article().cover_image[:7]) == (["cat.png"], "/media/")


def test_an_edited_article_gets_pictures_and_keeps_its_own_cover(app, run, site, people, article, paths):
    write(site / "posts/a.md", "![](cat.png)", cover="cat.png")
    run(site / "posts")
    with app.app_context():
        changed = ArticleInput(texts={"cover_image": "/mine.png"})
        article_service.change_article_in_transaction(people.admin.uuid, article().uuid, changed)
    draw(site / "posts/cat.png")
    assert run(site / "posts")["counts"]["updated"] == 1
    assert (list(paths()), article().cover_image) == (["cat.png"], "/mine.png")
    write(site / "posts/a.md", "Other text", cover="cat.png")
    assert run(site / "posts")["counts"]["refused"] == 1


def test_a_file_that_was_deleted_from_the_library_is_taken_again(app, run, site, library, paths):
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "![](cat.png)")
    run(site / "posts")
    with app.app_context():
        db.session.delete(db.session.scalars(select(Media)).one())
        db.session.commit()
    assert counts(run(site / "posts")) == {"new": 1}
    assert list(paths()) == ["cat.png"]


def test_a_file_that_is_deleted_during_the_import_is_left_out(app, run, site, article, paths, monkeypatch):
    def delete(*arguments):
        stored = store(*arguments)
        db.session.delete(db.session.scalars(select(Media)).one())
        db.session.commit()
        return stored

    store = imported_media.MediaImporter._store_media_file
    monkeypatch.setattr(imported_media.MediaImporter, "_store_media_file", delete)
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "![](cat.png)", cover="cat.png")
    assert run(site / "posts")["counts"]["created"] == 1
    assert (paths(), article().cover_image) == ({}, "cat.png")


def test_a_dry_run_reports_the_same_and_stores_nothing(app, run, site, library, paths):
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "![](cat.png) ![](gone.png)", cover="cat.png")
    planned = run(site / "posts", "--dry-run")
    assert (library(), paths()) == ([], {})
    assert [path for path in (app.instance_path,) if list(media_files(path))] == []
    done = run(site / "posts")
    assert planned["media"] == done["media"]
    assert planned["files"] == [file | {"article": None} for file in done["files"]]
    draw(site / "posts/gone.png", "blue")
    assert run(site / "posts", "--dry-run")["counts"]["updated"] == 1


def media_files(instance):
    """Yield the files in the media folder."""
    for _, _, names in os.walk(os.path.join(instance, "media")):  # noqa: PTH118
        yield from names


def test_pictures_are_prepared_before_the_write_lock_is_taken(run, site, monkeypatch):
    prepare, in_write = media_service.prepare_file, []

    def record(source, name):
        in_write.append(WRITE_TRANSACTION_KEY in db.session().info)
        return prepare(source, name)

    monkeypatch.setattr(media_service, "prepare_file", record)
    for color in ("red", "blue", "green"):
        draw(site / f"posts/{color}.png", color)
    write(site / "posts/a.md", "![](red.png) ![](blue.png) ![](green.png)")
    assert counts(run(site / "posts")) == {"new": 3}
    assert in_write == [False] * 3


def test_the_text_report_counts_the_files_and_names_what_is_missing(app, people, site):
    draw(site / "posts/cat.png")
    missing = " ".join(f"![](gone-{number}.png)" for number in range(12))
    write(site / "posts/a.md", f"![](cat.png) {missing}")
    output = app.test_cli_runner().invoke(args=["import", str(site / "posts"), "--author", "ada"]).stdout
    assert "media      References: 13 (1 new, 0 known, 12 missing, 0 refused).\n" in output
    assert "created    posts/a.md: Missing media files: “gone-0.png”, “gone-1.png”," in output
    assert "“gone-9.png” and 2 more.\n" in output
    help_line = "media      --assets FOLDER names a further folder in which media files are looked up.\n"
    assert help_line in output
    write(site / "posts/a.md", "![](cat.png)")
    output = app.test_cli_runner().invoke(args=["import", str(site / "posts"), "--author", "ada"]).stdout
    assert "media      References: 1 (0 new, 1 known, 0 missing, 0 refused).\n" in output
    assert help_line not in output


def test_articles_without_references_need_no_statement_about_media(app, run, site, record_statements):
    draw(site / "posts/cat.png")
    write(site / "posts/a.md", "Text")
    with record_statements() as statements:
        reports = [run(site / "posts") for _ in range(2)]
    assert [report["counts"]["created"] for report in reports] == [1, 0]
    assert not any("media" in statement and "INSERT" not in statement for statement in statements)
