"""Exports contain the redirects that admins have set, and imports store them."""

from __future__ import annotations

import pytest

from tests.delivery.redirects.test_custom import OWN

ROWS = [("/old/", "/new/?a=b", 301), ("/z ä%/", "https://other.example/", 302), ("/gone", "", 410)]


@pytest.fixture
def run(app):
    """Runs a command and returns its output."""

    def run_command(*words):
        result = app.test_cli_runner().invoke(args=[str(word) for word in words])
        assert result.exit_code == ("--json" in words), result.output
        return result.output

    return run_command


@pytest.fixture
def exported(as_admin, run, tmp_path):
    """The folder of an export of a blog with redirects, which were deleted afterwards."""
    for path, target, status in ROWS:
        body = {"path": path.replace("%", "%25"), "target": target, "status": status}
        assert as_admin.post(OWN, json=body).status_code == 201
    run("export", tmp_path / "out")
    for row in as_admin.get(OWN).json:
        as_admin.delete(f"{OWN}{row['uuid']}/")
    return tmp_path / "out"


def list_rows(client):
    return sorted((row["path"], row["target"], row["status"]) for row in client.get(OWN).json)


def test_an_export_is_imported_again_and_exported_alike(exported, as_admin, run, people, tmp_path):
    assert "redirects (3)" in run("import", exported, "--author", people.admin.username, "--dry-run")
    assert list_rows(as_admin) == []
    run("import", exported, "--author", people.admin.username)
    assert list_rows(as_admin) == sorted(ROWS)
    run("export", tmp_path / "again")
    text = (exported / "redirects.yaml").read_bytes()
    assert (tmp_path / "again" / "redirects.yaml").read_bytes() == text and b"status: 410" in text


def test_a_redirect_of_this_blog_stays(exported, as_admin, run, people):
    as_admin.post(OWN, json={"path": "/old", "target": "/mine/"})
    run("import", exported, "--author", people.admin.username)
    assert ("/old", "/mine/", 301) in list_rows(as_admin) and len(list_rows(as_admin)) == 3


def test_a_loop_keeps_only_its_custom_redirect_out(exported, as_admin, run, people):
    file = exported / "redirects.yaml"
    file.write_text(
        file.read_text()
        + "- kind: redirect\n  from: /x\n  to: /x/\n  status: 301\n- kind: redirect\n  from: y\n"
    )
    as_admin.post(OWN, json={"path": "/new", "target": "/old"})
    output = run("import", exported, "--author", people.admin.username, "--json")
    assert [row[0] for row in list_rows(as_admin)] == ["/gone", "/new", "/z ä%/"]
    assert output.count("leads to a loop") == 2 and "redirectsy" in output


def test_only_an_admin_stores_redirects(exported, as_admin, as_login, run, people):
    as_login.patch(f"/api/v1/users/{people.member.uuid}/", json={"role": "editor"})
    assert "only admins set redirects" in run("import", exported, "--author", people.member.username)
    assert list_rows(as_admin) == []
