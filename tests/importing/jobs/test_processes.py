"""The process of an import: what it gets, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from uuid import uuid4

import pytest

from blogapi import config
from blogapi.content.media import process_limits
from blogapi.importing.jobs import folders, runner
from blogapi.importing.models import ImportJob
from tests.contracts.client import outcome

pytestmark = pytest.mark.slow

POSIX = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows ends processes without signals and limits"
)

IMPORTS = "/api/v1/imports/"
OPTIONS = {"author": "ada", "base_url": "", "pages": "keep", "publish_undated": False}

LINE = json.dumps({"stage": "reading", "done": 1, "total": 3, "summary": None})
PRINT = f"import os, re, signal, sys; print({LINE!r}, flush=True)"
# Ends when its input is closed, like an import.
OBEDIENT = f"{PRINT}; sys.stdin.read()"
# Holds the interpreter for longer than any test, as a bad regular expression does.
HANGING = f"{PRINT}; re.match('(a+)+$', 'a' * 60 + 'b')"


@pytest.fixture(autouse=True)
def short_updates(app, monkeypatch):
    """Let the server look often at the process, and end it after the test."""
    monkeypatch.setattr(runner, "PROGRESS_INTERVAL_SECONDS", 0.02)
    runner.get_runner(app).stopping.clear()
    yield
    runner.get_runner(app).stop_job(60)
    runner.get_runner(app).stopping.clear()


@pytest.fixture
def children(monkeypatch):
    """The processes of the imports."""
    started = []
    start = runner.ImportProcess

    def record(*arguments):
        started.append(start(*arguments))
        return started[-1]

    monkeypatch.setattr(runner, "ImportProcess", record)
    return started


@pytest.fixture
def run(as_login, monkeypatch, children):
    """Starts an import whose process runs this program; returns the path of the import."""

    def run(program):
        monkeypatch.setattr(
            runner, "build_import_command", lambda job, is_trial: [sys.executable, "-c", program]
        )
        answer = as_login.post(IMPORTS, data=b"Words", query_string={"name": "a.md"})
        assert outcome(answer) == (201, None)
        return f"{IMPORTS}{answer.json['uuid']}/"

    return run


@pytest.fixture
def wait_for(as_login):
    """Waits until an import has a status, or until a field has a value; returns it."""

    def wait_for(path, **values):
        pause = threading.Event()
        for _ in range(3000):
            job = as_login.get(path).json
            if values.items() <= job.items():
                return job
            pause.wait(0.02)
        raise AssertionError(job)

    return wait_for


@pytest.mark.parametrize("program", [OBEDIENT, HANGING])
def test_cancel_ends_the_process(as_login, run, wait_for, children, monkeypatch, program):
    monkeypatch.setattr(runner, "STOP_SECONDS", 60 if program == OBEDIENT else 0.05)
    path = run(program)
    wait_for(path, stage="reading", done=1, total=3)
    # The server answers while the process holds its interpreter.
    assert outcome(as_login.post(f"{path}cancel/")) == (200, None)
    job = wait_for(path, status="cancelled")
    assert (job["stage"], job["done"], job["error"]) == ("reading", 1, "")
    assert children[0].wait_for_end(0)
    assert outcome(as_login.post(f"{path}cancel/")) == (409, "import_ended")
    assert outcome(as_login.delete(path)) == (204, None)


def test_a_server_that_stops_ends_the_process_and_the_import_can_be_started_again(
    app, as_login, run, wait_for, children
):
    path = run(OBEDIENT)
    wait_for(path, stage="reading")
    runner.get_runner(app).stop_job(60)
    assert as_login.get(path).json["status"] == "interrupted"
    assert children[0].wait_for_end(0)
    runner.get_runner(app).stopping.clear()
    assert as_login.post(f"{path}start/").json["status"] == "trying"
    wait_for(path, stage="reading")


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("sys.exit(0)", "failed"),
        ("sys.exit(1)", "failed"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "failed"),
        ("sys.exit(143)", "interrupted"),
        pytest.param("os.kill(os.getpid(), signal.SIGTERM)", "interrupted", marks=POSIX),
        ("print('{\"stage\": ', end='', flush=True); os._exit(9)", "failed"),
    ],
)
def test_a_process_that_ends_without_a_result(run, wait_for, caplog, end, status):
    job = wait_for(run(f"{PRINT}; {end}"), status=status, stage="reading")
    assert job["error"].startswith("Something went wrong on the server") is (status == "failed")
    assert ("ended with status" in caplog.text) is (status == "failed")


def test_a_format_that_ends_the_process_is_named(run, wait_for):
    subject = "The format “x” of the package “y”"
    program = f"{PRINT}; print({json.dumps({'format': subject})!r}, flush=True); os._exit(0)"
    job = wait_for(run(program), status="failed", stage="reading")
    assert job["error"] == f"{subject} ended the import; update the package or uninstall it."


def test_other_output_than_objects_and_endless_lines_are_left_out(run, wait_for, monkeypatch):
    monkeypatch.setattr(runner, "MAX_LINE_BYTES", 1000)
    program = f"{PRINT}; print(5); print('[1]'); print('x' * 10**6, end='', flush=True); sys.stdin.read()"
    job = wait_for(run(program), stage="reading", done=1)
    assert job["status"] == "trying"


def test_the_progress_has_a_pipe_of_its_own(app, people, tmp_path):
    (tmp_path / "a.md").write_text("---\ndate: 2024-05-01\n---\nWords", encoding="utf-8")
    program = (
        "import os; from blogapi.importing.pipeline import run_setup\n"
        "open_sources = run_setup.open_sources\n"
        "def loud(*words, **options): os.write(1, b'loud'); return open_sources(*words, **options)\n"
        "run_setup.open_sources = loud\n"
        "from blogapi.__main__ import main; main()"
    )
    words = ["import", f"--background={tmp_path / 'report.json'}", "--author=ada", str(tmp_path / "a.md")]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *words],
            env=config.build_process_environment(app),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        with process:
            lines = [json.loads(line) for line in process.stdout]
    assert b"loud" in (tmp_path / "log").read_bytes()
    assert lines[-1]["error"] == "" and all("stage" in line for line in lines)


def test_the_process_has_a_console_group_of_its_own_on_windows(run, wait_for, monkeypatch):
    flags = []

    def fail(*_, creationflags, **__):
        flags.append(creationflags)
        raise OSError

    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    monkeypatch.setattr(subprocess, "Popen", fail)
    wait_for(run(OBEDIENT), status="failed")
    assert flags == [512]


def test_a_process_that_cannot_be_started(as_login, run, wait_for, monkeypatch, caplog):
    def fail(*_, **__):
        raise OSError

    monkeypatch.setattr(subprocess, "Popen", fail)
    assert wait_for(run(OBEDIENT), status="failed")["error"].startswith("Something went wrong")
    assert "cannot be started" in caplog.text


def test_what_the_user_gave_reaches_the_process_as_single_arguments(app, people):
    name, options = "--help; rm -rf $HOME `x` .md", {"owner": str(people.admin.uuid)}
    options |= OPTIONS | {"base_url": "https://old.example/?a=1&b='", "publish_undated": True}
    job = ImportJob(uuid=uuid4(), name=name, options=json.dumps(options))
    with app.app_context():
        folder = folders.get_job_folder(job.uuid)
        folder.mkdir(parents=True)
        command = runner.build_import_command(job, is_trial=True)
    assert command == [
        *(sys.executable, "-P", "-m", "blogapi", "import", f"--background={folder / 'trial.json'}"),
        *("--author=ada", f"--base-url={options['base_url']}", "--pages=keep", "--define-fields=none"),
        *("--unread-rules=draft", f"--marked-file={folder / 'marked.json'}"),
        *("--publish-undated", "--dry-run", "--", str(folder.joinpath(*"______", "upload", name))),
    ]


def test_a_command_with_many_long_names_is_not_too_long_for_windows(app, people):
    names = [f"shortcode:{number:0190}" for number in range(500)]
    options = OPTIONS | {"owner": str(people.admin.uuid), "publish_marked": names}
    job = ImportJob(uuid=uuid4(), name="a.md", options=json.dumps(options))
    with app.app_context():
        folder = folders.get_job_folder(job.uuid)
        folder.mkdir(parents=True)
        command = runner.build_import_command(job, is_trial=True)
    assert len(subprocess.list2cmdline(command)) < 32_767
    assert json.loads((folder / "marked.json").read_text(encoding="utf-8")) == names


def test_the_process_gets_the_settings_of_the_server_and_no_secret(app, monkeypatch):
    app.config.update(MAX_TAGS=7, CORS_ORIGINS=("https://a.example", "https://b.example"), METRICS=True)
    environment = config.build_process_environment(app)
    assert environment["BLOGAPI_MAX_TAGS"] == "7"
    assert "BLOGAPI_SECRET_KEY" not in environment
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = config.read_settings(config.Path(app.instance_path))
    assert {name: found[name] for name in ("MAX_TAGS", "CORS_ORIGINS", "METRICS")} == {
        "MAX_TAGS": 7,
        "CORS_ORIGINS": ("https://a.example", "https://b.example"),
        "METRICS": True,
    }


def test_a_file_is_tried_in_a_process_with_the_settings_of_the_server(app, as_login, wait_for):
    app.config["MAX_TAGS"] = 1
    body = b"---\ntitle: Bread\ntags: [rye, oven]\n---\nWords"
    job = as_login.post(IMPORTS, data=body, query_string={"name": "a b.md"}).json
    tried = wait_for(f"{IMPORTS}{job['uuid']}/", status="tried", stage="importing", done=1)
    assert tried["counts"]["articles"]["new"] == 1
    assert any("more than 1 tags" in reason for reason in tried["problems"][0]["reasons"])
    report = as_login.get(f"{IMPORTS}{job['uuid']}/report/").json
    assert (report["dry_run"], report["counts"]["created"]) == (True, 1)


@pytest.mark.slow
def test_a_process_ends_after_the_current_article_when_its_input_is_closed(app, people, tmp_path):
    """The operating system closes the input when the server is killed."""
    folder, report = tmp_path / "blog", tmp_path / "report.json"
    folder.mkdir()
    for number in range(2000):
        (folder / f"{number}.md").write_text(f"---\ndate: 2024-05-01\n---\nWords {number}", encoding="utf-8")
    arguments = ["import", f"--background={report}", "--author=ada", "--dry-run", "--", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-m", "blogapi", *arguments],
        cwd=config.Path(config.__file__).parent.parent,
        env=config.build_process_environment(app),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        lines = [json.loads(process.stdout.readline())]
        process.stdin.close()
        lines += map(json.loads, process.stdout)
    assert process.returncode == 0
    assert all("error" not in line for line in lines) and lines[-1]["done"] < 2000
    assert json.loads(report.read_text(encoding="utf-8"))["dry_run"] is True


# Takes 500 MB, or counts for an hour, within limits of 300 MB and one second.
LIMITED = """
import runpy, sys
runpy.run_path(sys.argv[1])["limit_process"](memory_bytes=300 * 2**20, cpu_seconds=1)
try:
    bytearray(500 * 2**20) if sys.argv[2] == "memory" else sum(range(10**12))
except MemoryError:
    sys.exit(3)
"""


@POSIX
@pytest.mark.parametrize(("resource", "status"), [("memory", 3), ("time", -getattr(signal, "SIGXCPU", 0))])
def test_the_memory_and_the_time_of_a_process_are_limited(resource, status):
    command = [sys.executable, "-c", LIMITED, process_limits.__file__, resource]
    assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode in (status, -signal.SIGKILL)
