"""The list of all commands, and the commands `init`, `version` and `completion`."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from copy import copy
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from blogapi import blog_folder, blog_owner, config, create_app

if TYPE_CHECKING:
    from flask import Flask


def open_blog() -> Flask:
    """Return the application of an existing blog; raises CannotStart if there is none."""
    blog_folder.require_blog_with_database()
    return create_app()


def _select_new_blog(_context: click.Context, _argument: click.Parameter, folder: Path | None) -> Path | None:
    if folder is not None or not os.environ.get(config.INSTANCE_PATH_VARIABLE):
        blog_folder.select_blog(folder or Path.cwd())
    return folder


@click.command()
@click.argument(
    "folder", required=False, type=click.Path(file_okay=False, path_type=Path), callback=_select_new_blog
)
def init(folder: Path | None) -> None:
    """Create a blog in FOLDER (default: the current folder).

    The content and the settings of the blog are stored below FOLDER in `instance`.
    """
    instance = blog_folder.find_instance()
    if blog_folder.is_blog(instance) and not blog_folder.lacks_database(instance):
        raise click.ClickException(f"{instance.parent} already contains a blog.")
    create_app()
    # A git repository around the blog must not contain its content and secret key, but may contain its theme.
    gitignore = instance / ".gitignore"
    with suppress(FileExistsError), gitignore.open("x", encoding="utf-8", newline="\n") as file:
        file.write("*\n!/theme/\n!/theme/**\n")
    click.echo(f"Created a blog in {instance.parent}.")
    if config.COMMAND_VARIABLE in os.environ:
        # In a container, the next steps are different: the container itself runs `serve`.
        return
    is_here = instance.parent == Path.cwd()
    serve = [f"{blog_folder.get_command()} serve"]
    click.echo("Next:")
    for line in serve if is_here else blog_folder.list_serve_commands(str(folder or instance.parent)):
        click.echo(f"  {line}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the versions as JSON.")
def version(as_json: bool) -> None:
    """Print the versions of blogapi, Python, SQLite and the schema, and the commit of blogapi."""
    versions = blog_folder.get_versions()
    if as_json:
        click.echo(json.dumps(versions))
        return
    for name, value in versions.items():
        click.echo(f"{name:<8} {value or 'unknown'}")


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print a script that lets the shell complete commands and options.

    \b
    bash: add  eval "$(blogapi completion bash)"  to ~/.bashrc
    zsh:  add  eval "$(blogapi completion zsh)"  to ~/.zshrc
    fish: run  blogapi completion fish > ~/.config/fish/completions/blogapi.fish
    """
    from click.shell_completion import get_completion_class

    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(context.find_root().command, {}, "blogapi", "_BLOGAPI_COMPLETE").source())


class Command(NamedTuple):
    """Where a command is defined (`module:variable`), and its line in the list of commands."""

    import_path: str
    summary: str


COMMANDS = {
    "init": Command("blogapi.commands:init", "Create a blog."),
    "serve": Command("blogapi.serving.commands:serve", "Serve the blog until Ctrl-C."),
    "service": Command(
        "blogapi.serving.service_files.commands:service", "Print a file for a service manager."
    ),
    "health": Command("blogapi.operations.health.commands:health", "Ask a running service for its state."),
    "user": Command("blogapi.content.articles.writing.reassignment:user", "Create and change users."),
    "key": Command("blogapi.accounts.api_keys.commands:key", "Create and delete API keys."),
    "site": Command("blogapi.reader_site.commands:site", "Show, change and build the site."),
    "media": Command("blogapi.content.media.commands:media", "Delete files that nothing uses."),
    "redirect": Command("blogapi.delivery.redirects.custom.commands:redirect", "List and import redirects."),
    "webhook": Command("blogapi.delivery.webhooks.commands:webhook", "Create and check webhooks."),
    "revisions": Command("blogapi.content.revisions.commands:revisions", "Delete old versions of texts."),
    "import": Command("blogapi.importing.commands:import_", "Import another blog."),
    "export": Command(
        "blogapi.exporting.commands:export_blog",
        "Write the public texts, or the whole blog, as Markdown files.",
    ),
    "backup": Command("blogapi.operations.backups.commands:backup", "Write or check a backup."),
    "restore": Command("blogapi.operations.backups.commands:restore", "Replace the blog with a backup."),
    "upgrade": Command("blogapi.upgrading.commands:upgrade", "Upgrade the blog to this version."),
    "rollback": Command("blogapi.upgrading.commands:rollback", "Go back to the state before an upgrade."),
    "db": Command("blogapi.operations.db_copy.commands:db", "Copy the blog between SQLite and PostgreSQL."),
    "doctor": Command(
        "blogapi.operations.doctor.commands:doctor", "Check the blog and name a remedy for each problem."
    ),
    "routes": Command("blogapi.blueprints:routes", "List the paths of the API and who may call them."),
    "completion": Command("blogapi.commands:completion", "Print the completion script for a shell."),
    "version": Command("blogapi.commands:version", "Print the version."),
}

EPILOG = "\n  ".join(
    [
        "\b\nA new blog:",
        f"{blog_folder.get_command()} init my-blog",
        *blog_folder.list_serve_commands("my-blog"),
    ]
)


def _select_blog(_context: click.Context, _option: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        blog_folder.select_blog(folder)


def make_blog_option() -> click.Option:
    return click.Option(
        ["--blog"],
        metavar="FOLDER",
        type=click.Path(file_okay=False, path_type=Path),
        callback=_select_blog,
        expose_value=False,
        is_eager=True,
        help="The folder of the blog (default: the blog that contains the current folder).",
    )


class CommandGroup(click.Group):
    """The group of all commands. It imports a command only when it runs, so a server imports only `serve`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *self.commands.keys() - COMMANDS.keys()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None if there is no such command."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, variable = COMMANDS[cmd_name].import_path.split(":")
            command: click.Command = getattr(import_module(module), variable)
            _extend_command(command)
            self.add_command(command, cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the arguments name; the error for an unknown name offers similar ones."""
        name, names = args[0], self.list_commands(ctx)
        if self.get_command(ctx, name) is None and (similar := get_close_matches(name, names, n=2)):
            ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(map(repr, similar))}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing their modules."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])


def _extend_command(command: click.Command) -> None:
    """Add `--blog` and the aliases `add` and `create`; if root starts the command, run it as the owner."""
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            _extend_command(subcommand)
        for name, alias_name in (("add", "create"), ("create", "add")):
            if name in command.commands and alias_name not in command.commands:
                alias = copy(command.commands[name])
                alias.hidden = True
                command.add_command(alias, alias_name)
    elif "--blog" not in [name for parameter in command.params for name in parameter.opts]:
        command.params.append(make_blog_option())
        assert command.callback is not None
        command.callback = blog_owner.act_as_owner(CommandGroup)(command.callback)
