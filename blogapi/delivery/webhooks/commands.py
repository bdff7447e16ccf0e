"""The `webhook` commands."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import click
import marshmallow as ma
from flask.cli import AppGroup, with_appcontext

from blogapi.cli import report_problems
from blogapi.delivery.webhooks import queries, service
from blogapi.delivery.webhooks.event_types import EVENT_PATTERNS
from blogapi.delivery.webhooks.messages import PRESETS
from blogapi.delivery.webhooks.models import STANDARD_PRESET, CallMode, Delivery
from blogapi.delivery.webhooks.schemas import DeliverySchema, WebhookBodySchema, WebhookSchema
from blogapi.parsing import parse_timestamp, parse_uuid
from blogapi.web.errors import Invalid, flatten_messages
from blogapi.web.fields import join_messages

webhook = AppGroup("webhook", help="Report changes to other services; `serve` makes the calls.")


def _parse_uuid(_context: click.Context, _parameter: click.Parameter, value: str) -> UUID:
    uuid = parse_uuid(value)
    if uuid is None:
        raise click.BadParameter("It is not a uuid; `webhook list` shows the uuids.")
    return uuid


@webhook.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def list_webhooks(as_json: bool) -> None:
    """List all webhooks, without their secrets."""
    rows: list[dict[str, Any]] = WebhookSchema(many=True).dump(queries.list_webhooks(None).rows)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        state = f"paused ({row['paused']})" if row["paused"] else "active"
        line = (row["uuid"], row["preset"], state, f"{row['waiting']} waiting", row["address"], row["name"])
        click.echo("  ".join(line))


@webhook.command("add")
@click.argument("name")
@click.option(
    "--url", prompt="Address", hide_input=True, help="The address to call; prompted for if omitted."
)
@click.option(
    "--preset",
    type=click.Choice([*PRESETS]),
    default=STANDARD_PRESET,
    show_default=True,
    help="Kind of receiver.",
)
@click.option(
    "--mode", type=click.Choice([*map(str, CallMode)]), help="One call for each change, or one for several."
)
@click.option(
    "--event", "events", multiple=True, type=click.Choice(EVENT_PATTERNS), help="Event to report; repeatable."
)
@click.option("--header", "headers", multiple=True, metavar="NAME:VALUE", help="Extra header; repeatable.")
@with_appcontext
def add_webhook(
    name: str, url: str, preset: str, mode: str | None, events: tuple[str], headers: tuple[str]
) -> None:
    """Add a webhook with this NAME, and print the secret of its signatures on the last line.

    The preset is the kind of receiver, which decides what each call contains.
    """
    body: dict[str, Any] = {"name": name, "url": url, "preset": preset}
    if mode:
        body["mode"] = mode
    if events:
        body["events"] = [*events]
    body["headers"] = {
        key.strip(): value.strip() for key, _, value in (header.partition(":") for header in headers)
    }
    with report_problems():
        try:
            fields = WebhookBodySchema().load(body)
        except ma.ValidationError as error:
            raise Invalid(join_messages(flatten_messages(error.messages))) from error
        created = service.create_webhook(fields)
    click.echo(f"Added the webhook {created.uuid}. `serve` makes its calls.", err=True)
    if created.secret:
        click.echo("Save its secret; it is not shown again:", err=True)
        click.echo(created.secret)


@webhook.command("test")
@click.argument("uuid", callback=_parse_uuid)
@with_appcontext
def send_test_call(uuid: UUID) -> None:
    """Call the webhook with this uuid once, with a sample event, and print the answer."""
    with report_problems():
        outcome = service.send_test_call(uuid)
    click.echo(_describe_delivery(outcome))
    if outcome.answer:
        click.echo(outcome.answer)
    if not outcome.succeeded:
        raise click.exceptions.Exit(1)


@webhook.command("log")
@click.argument("uuid", callback=_parse_uuid)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_appcontext
def list_calls(uuid: UUID, as_json: bool) -> None:
    """List the last 100 calls of the webhook with this uuid, newest first, with their answers."""
    with report_problems():
        queries.get_webhook(uuid)
    deliveries = queries.list_deliveries(uuid, None).rows
    if as_json:
        click.echo(json.dumps(DeliverySchema(many=True).dump(deliveries), ensure_ascii=False))
        return
    for delivery in deliveries:
        click.echo(_describe_delivery(delivery))


@webhook.command("replay")
@click.argument("uuid", callback=_parse_uuid)
@click.argument("since")
@with_appcontext
def replay_changes(uuid: UUID, since: str) -> None:
    """Call the webhook with this uuid again for all changes since SINCE, such as 2026-11-20T09:00:00Z."""
    time = parse_timestamp(since)
    if time is None:
        raise click.BadParameter("It is not a time such as 2026-11-20T09:00:00Z.", param_hint="SINCE")
    with report_problems():
        waiting = service.replay_changes(uuid, time).waiting
    click.echo(f"Waiting changes: {waiting}; `serve` makes the calls.")


def _describe_delivery(delivery: Delivery) -> str:
    answer = str(delivery.status) if delivery.status else delivery.error
    time = delivery.time.isoformat(timespec="seconds")
    parts = (time, delivery.type, f"attempt {delivery.attempt}", answer, f"{delivery.milliseconds} ms")
    return "  ".join(parts)
