"""Runs the service under load and shows what grows: `python -m tests.durability.soak --minutes 30`.

The server is a child process on 127.0.0.1 that is served by waitress. At most about 150 requests are sent in
a second.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from subprocess import run
from sys import executable
from typing import Any
from uuid import uuid4

import click
from rich.console import Console

from blogapi.storage.postgresql_dumps import find_missing_program
from tests.benchmarks import databases, machine, report
from tests.benchmarks.blogs import Blog, BlogKind, temporary_blog
from tests.benchmarks.databases import POSTGRESQL, SQLITE
from tests.benchmarks.in_process import run_program
from tests.benchmarks.servers import (
    ROOT,
    MeasurementError,
    free_port,
    make_environment,
    make_serve_command,
    pin_to_core,
    run_server,
)
from tests.delivery.webhooks.receiver import Receiver, receive
from tests.durability.soak import calls, load, verdicts
from tests.durability.soak.client import Client, Record, Refused
from tests.durability.soak.samples import Sampler, list_files
from tests.durability.soak.verdicts import Deliveries, Result

ARTICLES, SIZE = 200, 4_000
CACHE_MEGABYTES = 8
# The server has 8 threads for reads and 8 for writes, each with a connection.
FILLING_THREADS, FILLING_REQUESTS = 16, 5
FILLING_PATHS, FILLING_WORDS = 4_500, 10_500
SETTINGS = f"""
METRICS = true
PUBLIC_READS = true
LOG_FORMAT = "json"
CACHE_MEGABYTES = {CACHE_MEGABYTES}
WEBHOOK_HOSTS = ["127.0.0.1"]
"""
SERVER_NAME = "soak"
# The receiver refuses one call in this time; in a long run, it first refuses two calls one after the other.
REFUSAL_SECONDS = 20
LONG_OUTAGE_MINUTES = 15


@dataclass(frozen=True, slots=True)
class Activity:
    """What `threads` clients do, each with `seconds` from one step to the next."""

    name: str
    steps: Callable[[Client, load.Target, Random], Iterator[None]]
    seconds: float
    threads: int = 1
    per_connection: int = 1


ACTIVITIES = (
    Activity("read", load.read, 1 / 30, threads=4, per_connection=100),
    Activity("write", load.write, 0.5, threads=2, per_connection=50),
    Activity("upload", load.upload, 5),
    Activity("import", load.import_over_http, 60),
    Activity("import with a command", load.import_with_command, 120),
    Activity("administer", load.administer, 20),
    Activity("backup with a command", load.back_up_with_command, 120),
)


def run_soak(home: Path, *, minutes: float, server: str, print_progress: Callable[[str], None]) -> Result:
    """Run the service under load on SQLite, or on the PostgreSQL server; return what was recorded.

    Raises MeasurementError if the service does not run.
    """
    engine = POSTGRESQL if server else SQLITE
    with (
        temporary_blog(home, BlogKind(ARTICLES, SIZE, engine), server=server) as blog,
        receive() as receiver,
        receive() as build,
    ):
        temporary = home / "temporary"
        temporary.mkdir()
        _prepare(blog, temporary, receiver, build)
        begin = max((position for position, _ in calls.read_events(blog, 0)), default=0)
        return _serve(blog, temporary, receiver, begin, minutes, print_progress)


def _prepare(blog: Blog, temporary: Path, receiver: Receiver, build: Receiver) -> None:
    """Add the settings, an admin with a password, and three webhooks; nobody listens for the last one."""
    settings = f"{SETTINGS}DAILY_BACKUPS = 2\n" if _can_back_up(blog) else SETTINGS
    with (blog.folder / databases.CONFIG_FILE).open("a", encoding="utf-8") as file:
        file.write(settings)
    words = ["user", "create", load.USER, "--admin", "--password-stdin"]
    created = run(
        [executable, "-m", "blogapi", *words],
        cwd=ROOT,
        env=make_environment(blog.folder),
        input=load.PASSWORD,
        capture_output=True,
        encoding="utf-8",
    )
    if created.returncode:
        raise MeasurementError(f"the admin could not be created: {created.stderr}")
    hooks: list[dict[str, Any]] = [
        {"name": "each", "url": receiver.url},
        {"name": "build", "url": build.url, "mode": "combined", "quiet_seconds": 5, "interval_seconds": 20},
        {"name": "down", "url": f"http://127.0.0.1:{free_port()}/"},
    ]
    run_program([executable, "-m", "tests.benchmarks.add_webhooks"], blog.folder, hooks)


def _can_back_up(blog: Blog) -> bool:
    """Return whether the programs are installed that a backup needs."""
    return blog.engine == SQLITE or find_missing_program() is None


def _serve(
    blog: Blog,
    temporary: Path,
    receiver: Receiver,
    begin: int,
    minutes: float,
    print_progress: Callable[[str], None],
) -> Result:
    record, port, log = Record(), free_port(), blog.folder / f"{SERVER_NAME}.log"
    accepted: list[str] = []
    # The receiver gives the answers in the order of the list, and 204 if it is empty.
    receiver.check = lambda call: None if receiver.answers else accepted.append(calls.get_id(call))
    variables = load.make_variables(temporary)
    command = make_serve_command(port)
    with run_server(
        SERVER_NAME, command, port, blog.folder, load.ARTICLES, blog.key, variables=variables
    ) as server:
        articles = _fill_caches(blog, record, port)
        target = load.Target(blog, record, temporary, articles, can_back_up=_can_back_up(blog))
        sampler = Sampler(server, blog, temporary, log, record)
        with sampler.run(), pin_to_core("client"), _run_activities(target, port):
            refused = _wait(minutes, sampler, receiver, accepted, print_progress)
        print_progress("waiting for the webhook")
        expected = calls.wait_for_calls(blog, begin, accepted)
        left = [path.name for path in list_files(temporary)]
    text = log.read_text(encoding="utf-8", errors="replace")
    return Result(
        minutes=minutes,
        samples=sampler.samples,
        record=record,
        deliveries=Deliveries(expected, accepted, refused),
        traceback_count=text.count("Traceback"),
        left_files=left,
        doctor_problems=_run_doctor(blog),
    )


def _fill_caches(blog: Blog, record: Record, port: int) -> list[str]:
    """Fill all caches of the server, and the page caches of its connections; return uuids of articles."""
    client, headers = Client(record, "fill the caches", port, per_connection=100), {"X-API-KEY": blog.key}
    articles = [article["uuid"] for article in client.send("GET", load.ARTICLES, headers=headers).json]
    received, size = 0, 0
    while received < 2 * CACHE_MEGABYTES * 2**20:
        size += 1
        path = f"{load.ARTICLES}?page={1 + size % 7}&page_size={20 + size // 7}"
        received += len(client.send("GET", path, headers=headers).body)
    # The server keeps the forms of up to 4,096 paths for the log, and of up to 10,000 words for searches.
    for _ in range(FILLING_PATHS):
        client.send("GET", f"{load.ARTICLES}{uuid4()}/", headers=headers, expected=(404,))
    words = {"title": "Words", "content": " ".join(uuid4().hex for _ in range(FILLING_WORDS))}
    admin = {"X-API-KEY": blog.admin_key}
    created = client.send("POST", load.ARTICLES, words, headers=admin, expected=(201,))
    client.send("DELETE", f"{load.ARTICLES}{created.json['uuid']}/", headers=admin, expected=(204,))
    client.close()
    with ThreadPoolExecutor(FILLING_THREADS) as pool:
        for number in range(FILLING_THREADS):
            pool.submit(_use_connection, blog, record, port, articles[number::FILLING_THREADS])
    return articles


def _use_connection(blog: Blog, record: Record, port: int, articles: Sequence[str]) -> None:
    client = Client(record, "fill the caches", port, per_connection=100)
    headers = {"X-API-KEY": blog.admin_key}
    # A busy server may refuse a request.
    with suppress(Refused):
        for number in range(FILLING_REQUESTS):
            # The whole list is too large for the response cache, so it is read from the database each time.
            client.send("GET", load.ARTICLES, headers=headers)
            changes = [{"uuid": uuid, "subtitle": f"Subtitle {number}"} for uuid in articles]
            client.send("PATCH", load.ARTICLES, changes, headers=headers)
    client.close()


@contextmanager
def _run_activities(target: load.Target, port: int) -> Iterator[None]:
    stop = threading.Event()
    threads = [
        threading.Thread(target=_repeat, args=(activity, number, target, port, stop))
        for activity in ACTIVITIES
        for number in range(activity.threads)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _repeat(activity: Activity, number: int, target: load.Target, port: int, stop: threading.Event) -> None:
    """Do the steps at their pace until `stop` is set. After a refused request, begin again."""
    client = Client(target.record, activity.name, port, per_connection=activity.per_connection)
    random, due = Random(f"{activity.name} {number}"), time.monotonic()
    while not stop.is_set():
        try:
            for _ in activity.steps(client, target, random):
                # A slow step delays the next ones, so that the load is bounded.
                due = max(due + activity.seconds, time.monotonic())
                if stop.wait(due - time.monotonic()):
                    break
            else:
                break
        except Refused:
            stop.wait(1)
        except Exception as error:
            target.record.add_problem(f"{activity.name} ended: {error!r}")
            break
    client.close()


def _wait(
    minutes: float,
    sampler: Sampler,
    receiver: Receiver,
    accepted: Sequence[str],
    print_progress: Callable[[str], None],
) -> int:
    """Wait until the end of the run, and let the receiver refuse calls; return the number of these."""
    started_at, refused, seen = time.monotonic(), 0, -1
    times = 2 if minutes >= LONG_OUTAGE_MINUTES else 1
    while (left := started_at + minutes * 60 - time.monotonic()) > 0:
        # After two failures one after the other, the webhook waits for five minutes; after more, for hours.
        if not receiver.answers and len(accepted) > seen:
            for _ in range(times):
                receiver.answer(503)
            refused, times, seen = refused + times, 1, len(accepted)
        time.sleep(min(left, REFUSAL_SECONDS))
        if sampler.samples:
            print_progress(_describe(sampler, len(sampler.record.problems)))
    return refused - len(receiver.answers)


def _describe(sampler: Sampler, problems: int) -> str:
    last = sampler.samples[-1]
    return (
        f"{last.seconds:.0f} s: {last.requests:,} requests, {problems} problems, {last.uss:.1f} MB, "
        f"{last.descriptors} descriptors, {last.threads} threads, {last.connections} connections"
    )


def _run_doctor(blog: Blog) -> list[str]:
    """Return the problems that `doctor --full` finds."""
    completed = run(
        [executable, "-m", "blogapi", "doctor", "--full", "--json"],
        cwd=ROOT,
        env=make_environment(blog.folder),
        capture_output=True,
        encoding="utf-8",
    )
    if not completed.stdout.startswith("{"):
        return [f"doctor failed: {completed.stderr[-300:]}"]
    findings = json.loads(completed.stdout)["findings"]
    return [f"{one['check']}: {one['says']}" for one in findings if one["level"] == "wrong"]


@click.command()
@click.option("--minutes", type=click.FloatRange(min=1), default=30, show_default=True)
@click.option(
    "--postgresql",
    default="",
    help="URL of a PostgreSQL server, as a user who may create databases. Default: SQLite.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all samples."
)
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
def soak(minutes: float, postgresql: str, json_file: Path | None, markdown: bool) -> None:
    """Run the service under load and print what it uses; exit with status 1 if a promise is broken."""
    with tempfile.TemporaryDirectory(prefix="blogapi-soak-", ignore_cleanup_errors=True) as folder:
        try:
            version = databases.get_version(postgresql) if postgresql else "not used"
            result = run_soak(
                Path(folder).resolve(), minutes=minutes, server=postgresql, print_progress=_print_progress
            )
        except MeasurementError as error:
            raise click.ClickException(f"{error}.") from error
    for table in verdicts.make_tables(result):
        if markdown:
            click.echo(report.format_markdown(table))
        else:
            report.print_table(Console(highlight=False), table)
    for problem in result.record.problems:
        click.echo(f"Problem: {problem}")
    facts = machine.collect_facts(generator="our own Python client", postgresql=version)
    click.echo(machine.format_facts(facts))
    if json_file:
        samples = [asdict(sample) for sample in result.samples]
        json_file.write_text(json.dumps(samples, indent=1) + "\n", encoding="utf-8")
    if any(verdict.kept is False for verdict in verdicts.judge(result)):
        raise click.exceptions.Exit(1)


def _print_progress(sentence: str) -> None:
    click.echo(sentence, err=True)


if __name__ == "__main__":
    soak(prog_name="python -m tests.durability.soak")
