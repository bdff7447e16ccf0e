"""Compares the README and the guide with the code: settings, commands, permissions and links."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from blogapi.__main__ import main
from blogapi.config import INSTANCE_PATH_VARIABLE, VARIABLE_PREFIX
from blogapi.content.articles.lifecycle import TRANSITIONS
from blogapi.content.articles.lists.query_schemas import ArticleListQuery
from blogapi.content.dependencies import TAXONOMIES
from blogapi.content.pages.schemas import PageListQuery
from blogapi.content.taxonomies.schemas import TermListQuery
from blogapi.docs.guide_pages import PAGE_GROUPS
from blogapi.importing.formats.registry import BUILT_IN_FORMATS
from blogapi.publication.visibility import API_STATUSES, SCHEDULED, Status
from blogapi.site.schemas import SiteChangesSchema
from blogapi.web.fields import PrefixedParameters
from tests.contracts import guide

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
FIRST_PAGE = guide.GUIDE / "index.md"
PAGES = sorted(guide.GUIDE.glob("*.md"))
HINT = "If this is intended: python -m tests.contracts.guide"


def list_commands(group: click.Group = main, prefix: str = ""):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from list_commands(command, f"{prefix}{name} ")
        elif not command.hidden:
            yield f"{prefix}{name}", command


COMMANDS = dict(list_commands())
LIST_QUERIES = {
    "articles": ArticleListQuery,
    "pages": PageListQuery,
    **{taxonomy.plural: TermListQuery for taxonomy in TAXONOMIES},
}


def test_the_tables_of_settings_of_the_guide_are_up_to_date():
    removed = guide.get_table(guide.SETTINGS_PAGE, "Removed settings")
    assert guide.get_table(guide.SETTINGS_PAGE, "Settings") == guide.make_settings_table(), HINT
    assert removed == guide.make_removed_settings_table(), HINT


def test_the_permissions_table_of_the_guide_is_up_to_date(app):
    assert guide.get_table(guide.PERMISSIONS_PAGE, "Permissions") == guide.make_permissions_table(app), HINT


def test_the_table_of_rights_of_the_guide_is_up_to_date():
    assert guide.get_table(guide.PERMISSIONS_PAGE, "Rights") == guide.make_rights_table(), HINT


def test_the_table_of_what_generators_do_not_build_is_up_to_date():
    heading = "What a generator does not build"
    assert guide.get_table(guide.GENERATORS_PAGE, heading) == guide.make_unbuilt_table(), HINT


def test_the_tables_of_wordpress_and_of_marks_in_the_guide_are_up_to_date():
    assert guide.get_table(guide.WORDPRESS_PAGE, "Signs of plugins") == guide.make_wordpress_table(), HINT
    assert guide.get_table(guide.MARKS_PAGE, "Marks in a text") == guide.make_marks_table(), HINT
    heading = "What makes a draft, and how to publish it"
    assert guide.get_table(guide.MARKS_PAGE, heading) == guide.make_guesses_table(), HINT


def test_the_tables_of_front_matter_in_the_guide_are_up_to_date():
    hiding, dates = "Fields that hide an article", "Fields with the date"
    assert guide.get_table(guide.GENERATORS_PAGE, hiding) == guide.make_fields_table(), HINT
    values = guide.get_table(guide.GENERATORS_PAGE, "Values of these fields")
    assert values == guide.make_values_table(), HINT
    assert guide.get_table(guide.GENERATORS_PAGE, dates) == guide.make_dates_table(), HINT


def test_the_guide_has_each_status_and_its_transitions():
    rows = guide.get_table(guide.GUIDE / "writing.md", "Status").splitlines()[2:]
    names = {name: {*others} for name, *others in (re.findall("`([a-z]+)`", row) for row in rows)}
    assert names.keys() == {*API_STATUSES}
    for name, others in names.items():
        stored = Status.PUBLISHED if name == SCHEDULED else Status(name)
        assert others - {SCHEDULED, stored} == TRANSITIONS[stored], name


def read_list_parameters():
    """Return the parameters of each list of the blog, by its name in the table of the guide."""
    rows = guide.get_table(guide.GUIDE / "reading.md", "Lists").splitlines()[2:]
    parameters = {name: set() for name in LIST_QUERIES}
    for row in rows:
        names, lists, _ = row.strip("| ").split(" | ", 2)
        for name in parameters:
            if lists == "all" or re.search(rf"\b{name}\b", lists):
                parameters[name] |= {*re.findall("`([^`]+)`", names)}
    # The guide says this of pages below the table.
    parameters["pages"] |= parameters["articles"] - {"category", "not_category", "exact"}
    return parameters


@pytest.mark.parametrize("name", LIST_QUERIES)
def test_the_guide_lists_the_parameters_of_each_list(name):
    declared = {
        f"{parameter}.NAME" if isinstance(field, PrefixedParameters) else field.data_key or parameter
        for parameter, field in LIST_QUERIES[name]().fields.items()
    }
    # Each view adds `fields` to its schema.
    assert read_list_parameters()[name] == {*declared, "fields"}


def test_the_command_writes_the_committed_tables(monkeypatch, tmp_path):
    for name in ("SETTINGS_PAGE", "PERMISSIONS_PAGE", "GENERATORS_PAGE", "WORDPRESS_PAGE", "MARKS_PAGE"):
        committed = getattr(guide, name)
        monkeypatch.setattr(guide, name, tmp_path / committed.name)
        former = re.sub(rb"\| (yes|admin) \|", b"| no |", committed.read_bytes())
        (tmp_path / committed.name).write_bytes(former)
    monkeypatch.setenv(INSTANCE_PATH_VARIABLE, str(tmp_path))
    guide.write_tables()
    for page in (guide.SETTINGS_PAGE, guide.PERMISSIONS_PAGE, guide.GENERATORS_PAGE):
        assert page.read_bytes() == (guide.GUIDE / page.name).read_bytes()


def test_the_environment_variables_are_in_the_guide():
    page = guide.SETTINGS_PAGE.read_text(encoding="utf-8")
    assert f"`{VARIABLE_PREFIX}<NAME>`" in page and f"`{INSTANCE_PATH_VARIABLE}`" in page


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_guide_lists_every_command_with_its_options(name):
    options = {
        max(options, key=len)
        for parameter in COMMANDS[name].params
        # Every command has `--blog`.
        if isinstance(parameter, click.Option) and not parameter.hidden and "--blog" not in parameter.opts
        for options in filter(None, (parameter.opts, parameter.secondary_opts))
    }
    table = guide.get_table(guide.SETTINGS_PAGE, "Commands")
    (row,) = [line for line in table.splitlines() if re.match(rf"\| `{name}[ `]", line)]
    assert set(re.findall(r"--[a-z-]+", row.split(" | ")[0])) == options


def test_the_guide_lists_no_unknown_commands():
    rows = guide.get_table(guide.SETTINGS_PAGE, "Commands").splitlines()[2:]
    assert len(rows) == len(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_explains_its_options_and_what_a_uuid_names(name):
    command = COMMANDS[name]
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts
        elif parameter.name == "uuid":
            assert re.search("the (key|webhook) with this uuid", command.help)


def test_the_help_of_site_set_names_each_field():
    # The navigation has options of its own.
    fields = SiteChangesSchema().fields.keys() - {"navigation"}
    help_text = COMMANDS["site set"].help
    assert len(fields) > 10
    assert [field for field in fields if not re.search(rf"\b{field}\b", help_text)] == []


def list_blocks(page: Path) -> list[str]:
    """Return the blocks of code of a page, without the lines around them."""
    return re.findall(r"^```\w*\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def list_examples():
    """Yield the words of each command after `blogapi`, in blocks and in the text."""
    for page in (README, *PAGES):
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
            for line in re.findall(r"(?:^|[ (/])blogapi ([a-z][^|)\n]*)", block, re.M):
                yield shlex.split(line, comments=True)
        for line in re.findall(r"`blogapi ([a-z][^`…|]*)", text):
            yield line.split()


def test_the_examples_are_commands_of_the_installed_program():
    assert len(list(list_examples())) > 80
    for page in PAGES:
        blocks = "".join(list_blocks(page))
        assert "python -m blogapi" not in blocks, page.name
        assert "wsgi.py" not in blocks, page.name


def test_the_first_page_has_the_commands_of_the_readme():
    """`.ci/readme.py` runs those of the README."""
    blocks = list_blocks(FIRST_PAGE)
    assert len(blocks) == 2 and set(blocks) <= set(list_blocks(README))


@pytest.mark.parametrize("words", list(list_examples()), ids=" ".join)
def test_every_example_uses_a_command_and_options_that_exist(words):
    command = COMMANDS.get(words[0]) or COMMANDS[" ".join(words[:2])]
    options = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("page", [README, ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page):
    for link in re.findall(r"\]\((?!https?:|media:|article:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.is_file(), link
        if not anchor:
            continue
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.M)
        anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
        assert anchor in anchors, link


def test_each_file_that_contributing_names_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = re.findall(r"`((?:blogapi|tests)/[\w./-]+)`", text)
    assert names
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_the_guide_names_each_format_that_is_imported():
    text = (guide.GUIDE / "importing.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `--format .+$", text, re.M)
    assert set(re.findall(r"`(\w+)`", row)) == set(BUILT_IN_FORMATS)


def test_the_readme_lists_the_pages_in_the_groups_of_the_guide():
    table = guide.get_table(README, "The guide")
    rows = re.findall(r"^\| (?:\*\*(.+)\*\*|.+\]\(blogapi/docs/guide/(.+)\.md\)) ", table, re.M)
    groups = PAGE_GROUPS.items()
    assert rows == [row for group, names in groups for row in [(group, ""), *(("", name) for name in names)]]


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 350
