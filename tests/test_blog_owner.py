"""A command that root runs acts as the owner of the blog; the real program runs, with real users."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from blogapi import blog_owner

# A Python in /root can be run by root alone.
CAN_RUN = os.name != "nt" and all(
    folder.stat().st_mode & 0o001 for folder in Path(sys.executable).resolve().parents
)
pytestmark = [
    pytest.mark.skipif(
        not CAN_RUN or os.geteuid() != 0, reason="needs root, and a Python that each user can run"
    ),
    pytest.mark.slow,
]

# No machine has a user with this number.
OWNER = 54321


@pytest.fixture
def place():
    """A folder that every user can enter, unlike that of the tests."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def run(place):
    """Run a command of blogapi as root."""

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOGAPI_")}
        command = [sys.executable, "-m", "blogapi", *map(str, words)]
        environment |= {"PYTHONPATH": str(Path(__file__).parent.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, cwd=place, input="correct horse battery"
        )

    return run


@pytest.fixture
def blog(place, run) -> Path:
    """A blog that root has created in the folder of another user."""
    folder = place / "blog"
    folder.mkdir(0o700)
    os.chown(folder, OWNER, OWNER)
    made = run("init", folder)
    assert made.returncode == 0, made.stderr
    return folder


def list_owners(folder: Path) -> set[tuple[int, int]]:
    return {(path.lstat().st_uid, path.lstat().st_gid) for path in folder.rglob("*")}


def test_files_of_commands_belong_to_the_owner_of_the_blog(blog, place, run):
    (text := place / "text.md").write_text("---\ntitle: A\n---\nB\n", encoding="utf-8")
    for words in (
        ("user", "create", "ada", "--admin", "--password-stdin"),
        ("backup", f"{blog}/instance/backups/"),
        ("import", text, "--author", "ada"),
        ("media", "prune"),
        ("doctor",),
    ):
        done = run("--blog", blog, *words)
        assert done.returncode == 0, done.stderr
        assert f"Runs as the user {OWNER}, to whom {blog}/instance belongs." in done.stderr
    assert list_owners(blog) == {(OWNER, OWNER)}


def test_restore_belongs_to_the_owner_and_names_a_source_that_it_cannot_read(blog, place, run):
    (backups := place / "backups").mkdir(0o700)
    assert run("--blog", blog, "backup", backups / "a.zip").returncode == 0
    before = sorted(blog.rglob("*"))
    refused = run("--blog", blog, "restore", backups / "a.zip")
    assert refused.returncode == 1
    assert f"{OWNER} cannot read {backups}/a.zip." in refused.stderr
    assert f"cp -r {backups}/a.zip COPY && chown -R {OWNER} COPY" in refused.stderr
    assert sorted(blog.rglob("*")) == before
    folder = run("--blog", blog, "import", backups, "--author", "ada")
    assert (folder.returncode, f"cp -r {backups} COPY && " in folder.stderr) == (1, True), folder.stderr
    # A check writes nothing into the blog.
    checked = run("--blog", blog, "backup", "--verify", backups / "a.zip")
    assert checked.returncode == 0, checked.stderr
    assert f"{OWNER} cannot read {backups}/a.zip." in checked.stderr
    shutil.copy(backups / "a.zip", place / "a.zip")
    os.chown(place / "a.zip", OWNER, OWNER)
    restored = run("--blog", blog, "restore", place / "a.zip")
    assert restored.returncode == 0, restored.stderr
    assert list_owners(blog) == {(OWNER, OWNER)}


@pytest.mark.parametrize(
    "words", [("backup", "out/"), ("backup", "out.zip"), ("export", "out"), ("export", "o.zip")]
)
def test_backup_and_export_write_as_root_where_the_owner_cannot(blog, place, run, words):
    (private := place / "private").mkdir(0o700)
    command, target = words
    done = run("--blog", blog, command, f"{private}/{target}")
    assert (done.returncode, f"{OWNER} cannot write {private}/" in done.stderr) == (0, True), done.stderr
    assert list_owners(blog) == {(OWNER, OWNER)}
    assert list_owners(private) == {(0, 0)}


def test_the_backup_command_runs_as_the_owner_even_if_the_backup_runs_as_root(blog, place, run):
    (script := place / "command.py").write_text(
        "import os, sys\nfrom pathlib import Path\n"
        "Path(sys.argv[1]).write_text(f'{os.getresuid()} {os.getresgid()} {os.getgroups()}')\n",
        encoding="utf-8",
    )
    settings = blog / "instance/config.toml"
    settings.write_text(f"BACKUP_COMMAND = '{sys.executable} {script} {blog}/ids'\n", encoding="utf-8")
    os.chown(settings, OWNER, OWNER)
    (private := place / "private").mkdir(0o700)
    done = run("--blog", blog, "backup", private / "a.zip")
    assert (done.returncode, "Runs as root" in done.stderr) == (0, True), done.stderr
    ids = (OWNER, OWNER, OWNER)
    assert (blog / "ids").read_text(encoding="utf-8") == f"{ids} {ids} {[OWNER]}"
    assert list_owners(blog) == {(OWNER, OWNER)}


def test_a_file_that_the_owner_cannot_use_keeps_root_and_is_named(blog, run):
    (blog / "instance/media").mkdir(0o700)
    done = run("--blog", blog, "site", "show")
    assert done.returncode == 0
    assert f"Runs as root, although {blog}/instance belongs to {OWNER}: {OWNER} cannot use" in done.stderr
    assert done.stderr.count("as root") == 1
    found = run("--blog", blog, "doctor")
    assert f"{blog}/instance/media belongs to root, and {blog}/instance to {OWNER}" in found.stdout
    assert (blog / "instance/media").stat().st_uid == 0


def test_files_that_are_deleted_after_they_were_listed_are_skipped(tmp_path, monkeypatch):
    (tmp_path / "media").mkdir()
    kept, gone = tmp_path / "media/kept", tmp_path / "media/gone"
    for path in (kept, gone):
        path.touch()

    def delete_before(call):
        def replacement(path, **options):
            if path == gone:
                gone.unlink(missing_ok=True)
            return call(path, **options)

        return replacement

    for name in ("stat", "lstat"):
        monkeypatch.setattr(Path, name, delete_before(getattr(Path, name)))
    assert blog_owner._find_root_owned_files(tmp_path) == {tmp_path, tmp_path / "media", kept}
    assert not gone.exists()
    monkeypatch.setattr(blog_owner, "list_owner_files", lambda _: [gone, kept])
    assert list(blog_owner._list_unusable_files(tmp_path)) == []


def test_settings_and_a_theme_of_root_are_wrong_only_if_the_owner_cannot_read_them(blog, run):
    (blog / "instance/config.toml").write_text("BIN_DAYS = 3\n", encoding="utf-8")
    (blog / "instance/config.toml").chmod(0o644)
    (blog / "instance/theme").mkdir(0o755)
    done = run("--blog", blog, "doctor")
    assert f"Runs as the user {OWNER}" in done.stderr and "belongs to" not in done.stdout
    (blog / "instance/config.toml").chmod(0o600)
    found = run("--blog", blog, "doctor")
    assert f"{blog}/instance/config.toml belongs to root, and {blog}/instance to {OWNER}" in found.stdout


def test_a_blog_of_root_and_a_blog_of_this_user_run_as_before(place, run):
    assert run("init", place / "mine").stderr == ""
    assert list_owners(place / "mine") == {(0, 0)}
    assert "Runs as" not in run("--blog", place / "mine", "doctor").stderr


def test_wsgi_runs_as_root_with_a_warning(blog):
    environment = {**os.environ, "BLOGAPI_INSTANCE_PATH": str(blog / "instance")}
    code = "import wsgi, os; print(os.geteuid())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).parent.parent,
    )
    assert done.stdout.strip() == "0"
    assert f"runs as root, but {blog}/instance belongs to {OWNER}" in done.stderr
