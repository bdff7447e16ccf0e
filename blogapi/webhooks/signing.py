"""The secrets of webhooks and the signatures of the Standard Webhooks specification.

No secret is stored: it is derived from `SECRET_KEY`, the uuid of the webhook, and the number of rotations.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from uuid import UUID

from flask import current_app

SECRET_PREFIX = "whsec_"  # noqa: S105 (the prefix is public)


def make_secret(webhook: UUID, rotation: int) -> str:
    """Return the secret of a webhook after this number of rotations, as receivers configure it."""
    return SECRET_PREFIX + base64.b64encode(_derive_key(webhook, rotation)).decode("ascii")


def sign(webhook: UUID, rotations: list[int], *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of `webhook-signature`: one signature for each of the rotations."""
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
