"""The secrets of webhooks and the signatures of the Standard Webhooks specification.

Secrets are not stored: a secret is derived from `SECRET_KEY`, the uuid of the webhook and its `rotation`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from uuid import UUID

from flask import current_app

SECRET_PREFIX = "whsec_"  # noqa: S105 (the prefix is public)


def make_secret(webhook: UUID, rotation: int) -> str:
    """Return the secret with the number `rotation` of a webhook, in the format that receivers expect."""
    return SECRET_PREFIX + base64.b64encode(_derive_key(webhook, rotation)).decode("ascii")


def sign(webhook: UUID, rotations: list[int], *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header `Webhook-Signature`: a signature with the secret of each rotation."""
    content = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    return " ".join(
        "v1," + base64.b64encode(_digest(_derive_key(webhook, rotation), content)).decode("ascii")
        for rotation in rotations
    )


def _derive_key(webhook: UUID, rotation: int) -> bytes:
    key: str = current_app.config["SECRET_KEY"]
    return _digest(key.encode("utf-8"), f"webhook {webhook} {rotation}".encode("ascii"))


def _digest(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, hashlib.sha256).digest()
