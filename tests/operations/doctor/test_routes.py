"""The quick checks that admins see in a browser."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from sqlalchemy import delete, update

from blogapi import blog_folder, clock
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.content.media.models import Media
from blogapi.content.search.models import SearchEntry
from blogapi.operations.backups import daily
from blogapi.operations.doctor import link_checks, quick_checks
from blogapi.storage.database import db, transaction
from tests.contracts.client import outcome
from tests.stored_pictures import store_picture

DOCTOR = "/api/v1/doctor/"
LEVELS = ("wrong", "hint", "ok")


@pytest.fixture(autouse=True)
def no_report(app):
    """The application has not run the checks yet."""
    app.extensions.pop(quick_checks._REPORT_KEY, None)


@pytest.fixture
def check(as_login):
    """Runs the checks and returns their findings by their titles."""

    def run():
        response = as_login.post(DOCTOR)
        assert response.status_code == 200
        levels = [finding["level"] for finding in response.json["findings"]]
        assert levels == sorted(levels, key=LEVELS.index)
        return {finding["title"]: finding for finding in response.json["findings"]}

    return run


def test_the_last_results_are_kept(as_login):
    assert as_login.get(DOCTOR).json == {"checked": None, "findings": []}
    made = as_login.post(DOCTOR).json
    assert made["checked"] and made["findings"]
    assert as_login.get(DOCTOR).json == made


def test_the_checks_run_one_at_a_time(as_login):
    with quick_checks._run_lock:
        assert outcome(as_login.post(DOCTOR)) == (409, "checks_running")
    assert as_login.post(DOCTOR).status_code == 200


def test_an_old_or_missing_backup_is_a_hint(app, as_login, check, monkeypatch):
    assert check()["There is no backup yet"]["link"] == "/admin/backups/"
    as_login.post("/api/v1/backups/")
    assert check()["Backup made"]["level"] == "ok"
    monkeypatch.setattr(quick_checks, "MAX_BACKUP_AGE", timedelta(0))
    assert check()["The last backup is old"]["level"] == "hint"


def test_a_backup_from_the_future_is_not_a_new_one(app, instance, check, set_clock):
    app.config["DAILY_BACKUPS"] = 3
    now = clock.now()
    set_clock(now + timedelta(days=400))
    daily.create_backup_if_missing(instance, keep=3, today=clock.now().date())
    set_clock(now)
    assert check()["No good backup for 36 hours"]["level"] == "wrong"
    daily.create_backup_if_missing(instance, keep=3, today=now.date())
    assert "No good backup for 36 hours" not in check()


def test_pictures_without_alternative_text_are_counted(app, check):
    store_picture(app, "blue")
    assert check()["1 picture has no alternative text"]["level"] == "hint"
    with app.app_context(), transaction():
        db.session.execute(update(Media).values(decorative=True))
    assert check()["Every picture has alternative text"]["level"] == "ok"
    with app.app_context(), transaction():
        db.session.execute(update(Media).values(alt="A cat", decorative=False))
    assert check()["Every picture has alternative text"]["level"] == "ok"


def test_idle_keys_are_named(app, people, check):
    for name in ("old laptop", "proof-reader"):
        people.key(people.admin, was_used=False)
        with app.app_context(), transaction():
            long_ago = clock.now() - timedelta(days=214)
            db.session.execute(update(ApiKey).where(ApiKey.name == "").values(name=name, created=long_ago))
        found = check()
        if name == "old laptop":
            assert found["The key “old laptop” is idle"]["detail"] == "Not used for 214 days."
    assert found["2 keys are idle"]["detail"].startswith("“old laptop”, “proof-reader”:")


def test_media_files_that_are_lost_are_counted(app, check, instance):
    store_picture(app, "blue")
    for file in (instance / "media").rglob("*.png"):
        file.unlink()
    (title,) = [title for title in check() if "missing or damaged" in title]
    assert title.startswith("1 file of the library")


def test_a_search_that_is_not_up_to_date_is_wrong(app, check, make_article):
    make_article()
    assert check()["The database is in order"]["detail"] == "1 article, all of them in the search."
    with app.app_context(), transaction():
        db.session.execute(delete(SearchEntry))
    assert check()["The search is not up to date"]["level"] == "wrong"


def test_links_to_what_readers_cannot_see_are_counted(as_admin, as_login, check, make_article, make_tag):
    as_login.patch(
        "/api/v1/blog/site/", json={"url": "https://blog.example", "article_path": "/{year}/{slug}"}
    )
    for status in ("draft", "archived"):
        make_article(slug=status, status=status, published_at="2026-01-01T00:00:00Z")
    gone, tag = make_article(slug="gone"), make_tag("lost")
    as_admin.delete(f"/api/v1/blog/articles/{gone.uuid}/")
    as_admin.delete(f"/api/v1/blog/tags/{tag.uuid}/")
    seen, draft = make_article(slug="seen"), make_article(slug="secret", status="draft")
    good = (
        '<a href="/2026/good/#top">1</a> <a href="../about/">2</a> <a href="https://other.example/2026/gone">'
        f'</a><a href="article:{seen.uuid}#top">3</a>'
    )
    article = make_article(slug="good", title="Good", content=good)
    assert check()["No link leads to a hidden article"]["detail"] == "3 internal links checked."
    bad = [f'<a href="/2026/{slug}/">a</a>' for slug in ("draft", "archived", "gone")]
    bad.append('<p><a title="&quot;" href="https://blog.example/tag/lost/#y">a</a>')
    bad += [f'<a href="article:{hidden.uuid}">a</a>' for hidden in (gone, draft)]
    make_article(slug="bad", title="Bad", content=good + "".join(bad))
    found = check()["6 links lead to pages that readers cannot see"]
    assert (found["level"], found["detail"]) == ("hint", "In “Bad”.")
    assert found["link"].startswith("/admin/articles/") and str(article.uuid) not in found["link"]


def test_links_to_and_of_pages_are_checked(as_admin, as_login, check, make_article):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    pages = "/api/v1/blog/pages/"
    about = as_admin.post(pages, json={"title": "About", "status": "published"}).json["uuid"]
    team = {"title": "Team", "status": "published", "parent": about, "content": '<a href="../">a</a>'}
    seen = as_admin.post(pages, json=team).json["uuid"]
    hidden = as_admin.post(pages, json={**team, "title": "Hidden", "status": "draft"}).json["uuid"]
    unlisted = make_article(slug="unlisted", status="unlisted")
    good = (
        f'<a href="/about/team/">1</a> <a href="article:{seen}">2</a> <a href="article:{unlisted.uuid}"></a>'
    )
    make_article(title="Good", content=good)
    assert check()["No link leads to a hidden article"]["detail"] == "4 internal links checked."
    bad = f'<a href="/about/hidden/">1</a> <a href="article:{hidden}">2</a>'
    as_admin.patch(f"{pages}{seen}/", json={"content": bad})
    found = check()["2 links lead to pages that readers cannot see"]
    assert (found["detail"], found["link"]) == ("In “Team”.", None)
    as_admin.patch(f"{pages}{seen}/", json={"parent": None, "content": f'<a href="article:{hidden}">2</a>'})
    found = check()["2 links lead to pages that readers cannot see"]
    assert found["detail"] == "In “Good”, “Team”."
    assert found["link"].startswith("/admin/articles/")


def test_an_article_that_becomes_public_during_the_check_is_left_out(
    as_login, check, make_article, monkeypatch, set_clock
):
    as_login.patch("/api/v1/blog/site/", json={"url": "https://blog.example"})
    due = clock.now() + timedelta(hours=1)
    make_article(content='<a href="/">a</a>')
    make_article(content='<a href="/">a</a>', published_at=due.isoformat())
    list_addresses = link_checks._list_addresses

    def publish_after_the_list(*arguments):
        found = list_addresses(*arguments)
        set_clock(due + timedelta(seconds=1))
        return found

    monkeypatch.setattr(link_checks, "_list_addresses", publish_after_the_list)
    assert check()["No link leads to a hidden article"]["detail"] == "1 internal link checked."


@pytest.mark.sqlite("about the database file")
def test_a_damaged_database_is_wrong(check, monkeypatch):
    monkeypatch.setattr(quick_checks.integrity, "run_quick_check", lambda path, seconds: "Page 3 is broken")
    assert check()["The database is damaged"]["detail"].startswith("Page 3 is broken.")


@pytest.mark.sqlite("about the database file")
def test_a_full_disk_is_wrong_and_no_absolute_path_is_shown(check, instance, monkeypatch):
    assert check()["Space on the disk"]["level"] == "ok"
    monkeypatch.setattr(quick_checks.instance_checks, "MIN_FREE_BYTES", 2**60)
    found = check()
    assert found["The disk is nearly full"]["level"] == "wrong"
    instance.chmod(0o777)
    assert str(instance) not in str(check())


def test_the_copy_of_before_an_upgrade_is_named(instance, check):
    title = "A copy from before the upgrade is kept"
    assert title not in check()
    folder = instance / "backups"
    folder.mkdir()
    for name in ("before-upgrade-from-0035.db", "before-upgrade-from-0036.db"):
        (folder / name).touch()
    os.utime(folder / "before-upgrade-from-0035.db", (1, 1))
    found = check()[title]
    assert found["level"] == "ok"
    assert found["detail"] == (
        f"Go back with `{blog_folder.get_command()} rollback`, "
        "or delete before-upgrade-from-0036.db when all is well."
    )


def test_an_address_of_the_built_in_site_that_readers_cannot_reach_is_a_hint(as_login, check, app):
    title, site = "Readers cannot reach this address", "/api/v1/blog/site/"
    as_login.patch(site, json={"url": "http://127.0.0.1:8000"})
    assert title not in check()
    as_login.patch(site, json={"built_in": True})
    finding = check()[title]
    assert (finding["level"], finding["link"]) == ("hint", "/admin/site/addresses/")
    output = app.test_cli_runner().invoke(args=["doctor"]).output
    assert "Readers cannot reach the address of the site, http://127.0.0.1:8000." in output
    as_login.patch(site, json={"url": "https://blog.example"})
    assert title not in check()


@pytest.mark.parametrize(
    ("url", "proxy", "is_built_in", "is_named"),
    [
        ("https://blog.example", "", True, True),
        ("https://blog.example", "127.0.0.1", True, False),
        ("http://blog.example", "", True, False),
        ("https://blog.example", "", False, False),
    ],
)
def test_a_site_with_tls_and_no_trusted_proxy_is_a_hint(as_login, app, url, proxy, is_built_in, is_named):
    as_login.patch("/api/v1/blog/site/", json={"url": url, "built_in": is_built_in})
    app.config["TRUSTED_PROXY"] = proxy
    result = app.test_cli_runner().invoke(args=["doctor"])
    assert result.exit_code == 0 and ("no proxy is trusted" in result.output) == is_named
