"""Measures speed and memory: `python -m tests.benchmarks`; needs tests/benchmarks/requirements.txt.

All servers and clients are child processes on 127.0.0.1. The test suite runs each part with tiny numbers, and
judges no time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from tests.benchmarks import (
    cold,
    databases,
    hot,
    large,
    load,
    machine,
    media,
    postgresql,
    report,
    size,
    start,
    webhooks,
    writes,
)
from tests.benchmarks.blogs import create_blogs, delete_databases
from tests.benchmarks.plan import Plan
from tests.benchmarks.servers import PINNED, MeasurementError

PARTS: dict[str, Any] = {
    "hot": hot,
    "cold": cold,
    "writes": writes,
    "size": size,
    "large": large,
    "media": media,
    "start": start,
    "webhooks": webhooks,
    "postgresql": postgresql,
}

# The default options of a full run, which takes some minutes, and of a quick run of about one minute.
DEFAULTS = {
    "rounds": 5,
    "seconds": 2,
    "sizes": (1_000, 100_000),
    "samples": 30,
    "articles": 20_000,
    "writes": 200,
    "uploads": 5,
    "files": 10_000,
    "imports": 1_000,
    "starts": 5,
}
QUICK = {
    "rounds": 1,
    "seconds": 1,
    "sizes": (200, 2_000),
    "samples": 5,
    "articles": 1_000,
    "writes": 20,
    "uploads": 2,
    "files": 200,
    "imports": 50,
    "starts": 2,
}


def _parse_sizes(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    if value is None:
        return None
    try:
        sizes = tuple(sorted({int(size) for size in value.split(",")}))
    except ValueError as error:
        raise click.BadParameter("must be numbers separated by commas") from error
    if sizes[0] < 100:
        raise click.BadParameter("must be 100 or more")
    return sizes


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="Use small blogs and one round, only to try the benchmark.")
@click.option(
    "--drf", is_flag=True, help="Also install Django REST framework and measure it in `hot` and `writes`."
)
@click.option(
    "--postgresql",
    envvar="BLOGAPI_TEST_DATABASE_URL",
    is_flag=False,
    flag_value="postgresql+psycopg://postgres@127.0.0.1/postgres",
    default="",
    help="URL of a PostgreSQL server, as a user who may create databases; without a URL, the local user "
    "postgres. Needed for `postgresql`; `large` also searches there, and `size` measures it.",
)
@click.option("--sqlite", "sqlite_too", is_flag=True, help="With --postgresql, `size` also measures SQLite.")
@click.option("--no-wrk", is_flag=True, help="Use the built-in Python client even if wrk is installed.")
@click.option(
    "--rounds", type=click.IntRange(1, 50), help="Rounds over all servers in `hot`, `writes`, `media`. [5]"
)
@click.option(
    "--seconds", type=click.IntRange(1, 60), help="Seconds of load for each read in `hot` and `media`. [2]"
)
@click.option(
    "--sizes",
    callback=_parse_sizes,
    help="Numbers of articles of the blogs in `cold` and `size`. [1000,100000]",
)
@click.option(
    "--samples", type=click.IntRange(2, 1000), help="Cold reads of each kind in `cold` and `large`. [30]"
)
@click.option("--articles", type=click.IntRange(100), help="Articles in `large` and `start`. [20000]")
@click.option("--writes", type=click.IntRange(10), help="Writes of each kind in `writes`. [200]")
@click.option("--uploads", type=click.IntRange(1, 100), help="Uploads of each kind in `media`. [5]")
@click.option("--files", type=click.IntRange(100), help="Files of the list in `media`. [10000]")
@click.option("--imports", type=click.IntRange(1), help="Markdown files to import in `writes`. [1000]")
@click.option("--starts", type=click.IntRange(1, 50), help="Starts of each blog in `start`. [5]")
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the blogs in this folder, and their databases, for later runs; delete them if the tables or "
    "texts change.",
)
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write all rows.")
@click.option(
    "--plot",
    "plot_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw a chart into a .png or .svg file.",
)
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
def measure(
    *,
    parts: tuple[str, ...],
    quick: bool,
    drf: bool,
    postgresql: str,
    sqlite_too: bool,
    no_wrk: bool,
    keep: Path | None,
    json_file: Path | None,
    plot_file: Path | None,
    markdown: bool,
    **given: Any,
) -> None:
    """Measure the service; without PARTS, measure all that can be measured.

    The part `postgresql` repeats hot, cold and writes on PostgreSQL. The exit status is 1 if a number could
    not be measured.
    """
    notes: list[str] = []

    def add_note(sentence: str) -> None:
        notes.append(sentence)
        _print_progress(sentence)

    numbers = (QUICK if quick else DEFAULTS) | {name: value for name, value in given.items() if value}
    wrk = load.WRK is not None and not no_wrk
    if "postgresql" in parts and not postgresql:
        raise click.UsageError("The part postgresql needs the option --postgresql.")
    chosen = [name for name in PARTS if name in (parts or PARTS) and (postgresql or name != "postgresql")]
    try:
        version = databases.get_version(postgresql) if postgresql else "not measured"
    except MeasurementError as error:
        raise click.ClickException(f"{error}.") from error
    facts = machine.collect_facts(generator="wrk" if wrk else "our own Python client", postgresql=version)
    with _open_home(keep, postgresql) as home:
        plan = Plan(
            home=home,
            wrk=wrk,
            drf=drf,
            postgresql=postgresql,
            sqlite_too=sqlite_too,
            print_progress=_print_progress,
            add_note=add_note,
            blogs={},
            **numbers,
        )
        if not PINNED:
            add_note(
                "Server and client share the cores: this system has only one core or cannot pin processes."
            )
        try:
            found = _measure_parts(plan, chosen)
        except MeasurementError as error:
            raise click.ClickException(f"{error}.") from error
    _print_results(found, facts, markdown=markdown)
    if json_file:
        report.write_json(json_file, machine=facts, options=numbers, notes=notes, parts=found)
    if plot_file and not _draw_plot(plot_file, found, machine.format_facts(facts)):
        raise click.ClickException("There is nothing to draw: measure hot, cold or size.")
    if len(found) < len(chosen) or report.list_problems(found):
        raise click.exceptions.Exit(1)


def _measure_parts(plan: Plan, chosen: list[str]) -> dict[str, list[Any]]:
    """Return the rows of each part that could be measured."""
    plan.print_progress("making the blogs")
    kinds = [kind for name in chosen for kind in plan.kinds_for(name)]
    plan.blogs.update(create_blogs(plan.home, kinds, server=plan.postgresql))
    found = {}
    for name in chosen:
        try:
            found[name] = PARTS[name].run(plan)
        except MeasurementError as error:
            plan.add_note(f"{name}: not measured: {error}")
    return found


@contextmanager
def _open_home(keep: Path | None, postgresql: str) -> Iterator[Path]:
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="blogapi-benchmarks-", ignore_cleanup_errors=True) as folder:
        try:
            yield Path(folder).resolve()
        finally:
            delete_databases(Path(folder), postgresql)


def _draw_plot(file: Path, found: dict[str, list[Any]], caption: str) -> bool:
    # Only charts need Matplotlib.
    from tests.benchmarks.plot import draw_plot

    return draw_plot(file, found, caption)


def _print_progress(sentence: str) -> None:
    # Messages go to standard error, so that the tables can be redirected to a file.
    click.echo(sentence, err=True)


def _print_results(found: dict[str, list[Any]], facts: dict[str, str], *, markdown: bool) -> None:
    console = Console(highlight=False)
    for name, rows in found.items():
        for table in PARTS[name].make_tables(rows):
            if markdown:
                click.echo(report.format_markdown(table))
            else:
                report.print_table(console, table)
    for problem in report.list_problems(found):
        click.echo(f"Invalid: {problem}.")
    click.echo(machine.format_facts(facts))


if __name__ == "__main__":
    measure(prog_name="python -m tests.benchmarks")
