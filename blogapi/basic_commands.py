"""The commands `init`, `version` and `completion`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blogapi import blog_folder, config, create_app, program

if TYPE_CHECKING:
    from flask import Flask


def open_blog() -> Flask:
    """Return the application of an existing blog; raises CannotStart if there is none."""
    blog_folder.find_existing()
    return create_app()


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
def init(folder: Path | None) -> None:
    """Create a blog in FOLDER (default: the current folder).

    Its content and its settings are stored below FOLDER in `instance`.
    """
    if folder is not None:
        blog_folder.select(folder)
    elif not os.environ.get(config.INSTANCE_PATH):
        blog_folder.select(Path.cwd())
    home = blog_folder.find()
    if blog_folder.is_blog(home) and not blog_folder.is_unfinished(home):
        raise click.ClickException(f"{home.parent} already contains a blog.")
    create_app()
    click.echo(f"Created a blog in {home.parent}.")
    if config.COMMAND in os.environ:
        # In a container, the next steps differ: `serve` is not started like the other commands.
        return
    is_here = home.parent == Path.cwd()
    serve = [f"{program.get_command()} serve"]
    click.echo("Next:")
    for line in serve if is_here else program.list_start_commands(str(folder or home.parent)):
        click.echo(f"  {line}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the versions as JSON.")
def version(as_json: bool) -> None:
    """Print the versions of blogapi, Python, SQLite and the schema, and the commit of blogapi."""
    found = program.describe()
    if as_json:
        click.echo(json.dumps(found))
        return
    for name, value in found.items():
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

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(context.find_root().command, {}, "blogapi", "_BLOGAPI_COMPLETE").source())
