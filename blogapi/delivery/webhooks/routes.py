"""The endpoints of webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from blogapi.accounts.api_keys.schemas import RotationSchema
from blogapi.delivery.webhooks import messages, queries, service
from blogapi.delivery.webhooks.models import Delivery
from blogapi.delivery.webhooks.schemas import (
    CreatedWebhookSchema,
    DeliverySchema,
    PresetSchema,
    ReplaySchema,
    SampleInputSchema,
    SampleSchema,
    ShownDeliverySchema,
    WebhookBodySchema,
    WebhookSchema,
)
from blogapi.web.access import admin_login, allow
from blogapi.web.blueprint import Blueprint
from blogapi.web.fields import Fields, WithAttributes
from blogapi.web.pagination import ListQuery, Page, Query
from blogapi.web.representation import Representation

bp = Blueprint("webhooks", __name__, url_prefix="/api/v1/webhooks", description="Webhooks and build hooks")

REPRESENTATION = Representation(
    queries.get_described_webhook,
    WebhookSchema(),
    lambda: queries.list_webhooks(None).rows,
    WebhookSchema(many=True),
)


@bp.get("/")
@allow(admin_login)
@bp.arguments(ListQuery, location="query")
@bp.response(200, WebhookSchema(many=True))
def listed(query: Query) -> Page[Sequence[WithAttributes]]:
    """List the webhooks and build hooks."""
    return queries.list_webhooks(query.page)


@bp.post("/")
@allow(admin_login, scope="write")
@bp.arguments(WebhookBodySchema)
@bp.response(201, CreatedWebhookSchema(), storable=False)
def create(fields: Fields) -> WithAttributes:
    """Create a webhook, which reports all later changes; only this response shows its secret."""
    return service.create_webhook(fields)


@bp.get("/presets/")
@allow(admin_login)
@bp.response(200, PresetSchema(many=True))
def list_presets() -> list[Fields]:
    """List the kinds of receivers."""
    return [
        {"name": name, "label": preset.label, "help": preset.help}
        for name, preset in messages.PRESETS.items()
    ]


@bp.post("/sample/")
@allow(admin_login)
@bp.arguments(SampleInputSchema)
@bp.response(200, SampleSchema())
def create_sample(fields: Fields) -> Fields:
    """Show what a webhook would send; nothing is sent."""
    return messages.make_sample_request(**fields)


@bp.post("/test/")
@allow(admin_login, scope="write")
@bp.arguments(WebhookBodySchema)
@bp.response(200, DeliverySchema())
def test_fields(fields: Fields) -> Delivery:
    """Make a test call of a webhook that is not created yet, and return its answer; nothing is stored."""
    return service.send_unstored_test_call(fields)


@bp.get("/<id:id>/")
@allow(admin_login)
@bp.response(200, WebhookSchema())
def single(id: UUID) -> WithAttributes:
    """Show a webhook and its latest calls."""
    return queries.get_described_webhook(id)


@bp.patch("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.arguments(WebhookBodySchema(partial=True))
@bp.write(200, WebhookSchema(), REPRESENTATION)
def change(fields: Fields, id: UUID) -> WithAttributes:
    """Change a webhook. `active` pauses or resumes it; a resumed webhook receives the waiting changes."""
    return service.change_webhook(id, fields)


@bp.delete("/<id:id>/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.write(204, None, REPRESENTATION)
def delete(id: UUID) -> None:
    """Delete a webhook and the record of its calls."""
    service.delete_webhook(id)


@bp.post("/<id:id>/rotate/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.arguments(RotationSchema, required=False)
@bp.response(201, CreatedWebhookSchema(), storable=False)
def rotate(fields: Fields, id: UUID) -> WithAttributes:
    """Give a webhook a new secret; during the overlap, calls are signed with both secrets."""
    return service.rotate_secret(id, **fields)


@bp.post("/<id:id>/test/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.response(201, DeliverySchema())
def test(id: UUID) -> Delivery:
    """Make a test call now, and return its answer."""
    return service.send_test_call(id)


@bp.post("/<id:id>/build/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.response(201, DeliverySchema())
def start_build(id: UUID) -> Delivery:
    """Start a build now, and return the answer of the build hook."""
    return service.start_build(id)


@bp.post("/<id:id>/replay/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.arguments(ReplaySchema)
@bp.response(200, WebhookSchema())
def replay(fields: Fields, id: UUID) -> WithAttributes:
    """Send all changes since a time to a webhook again."""
    return service.replay_changes(id, fields["since"])


@bp.get("/<id:id>/deliveries/")
@allow(admin_login)
@bp.arguments(ListQuery, location="query")
@bp.response(200, DeliverySchema(many=True))
def list_deliveries(query: Query, id: UUID) -> Page[Sequence[Delivery]]:
    """List the last 100 calls of a webhook, newest first."""
    queries.get_webhook(id)
    return queries.list_deliveries(id, query.page)


@bp.get("/<id:id>/deliveries/<id:delivery>/")
@allow(admin_login)
@bp.response(200, ShownDeliverySchema())
def get_delivery(id: UUID, delivery: UUID) -> WithAttributes:
    """Show a call of a webhook with its request."""
    return service.show_delivery(id, delivery)


@bp.post("/<id:id>/deliveries/<id:delivery>/send/")
@allow(admin_login, scope="write")
@bp.check_exists(queries.get_webhook)
@bp.response(201, DeliverySchema())
def resend_delivery(id: UUID, delivery: UUID) -> Delivery:
    """Repeat a call with the same id, and return its answer."""
    return service.repeat_call(id, delivery)
