"""The list of all commands."""

from __future__ import annotations

from importlib import import_module

import click
from flask.cli import AppGroup

# The module and the variable of each command.
COMMANDS = {
    "serve": "blogapi.serving.commands:serve",
    "user": "blogapi.articles.writing.ownership:user",
    "key": "blogapi.api_keys.commands:key",
    "site": "blogapi.site.commands:site",
    "media": "blogapi.media.commands:media",
    "import": "blogapi.importing.commands:import_",
    "export": "blogapi.exporting.commands:export",
    "redirect": "blogapi.redirects.custom.commands:redirect",
    "revisions": "blogapi.revisions.commands:revisions",
    "backup": "blogapi.backups.commands:backup",
    "restore": "blogapi.backups.commands:restore",
    "db": "blogapi.db_copy.commands:db",
    "doctor": "blogapi.doctor.commands:doctor",
    "webhook": "blogapi.webhooks.commands:webhook",
    "routes": "blogapi.blueprints:routes",
}


class CommandGroup(AppGroup):
    """All commands; each is imported when it runs, so that a server does not keep the others in memory."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*COMMANDS, *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command, or None if there is no such command."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module, variable = COMMANDS[cmd_name].split(":")
            self.add_command(getattr(import_module(module), variable), cmd_name)
        return super().get_command(ctx, cmd_name)
