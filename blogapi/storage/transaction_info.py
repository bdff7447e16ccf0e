"""Values that belong to one transaction of a session."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

_KEY = "blogapi-transaction"


def get_info(session: Session) -> dict[str, Any]:
    """Return the dictionary of the session's current transaction; the next transaction has an empty one."""
    current = session.get_transaction()
    transaction, info = session.info.get(_KEY, (None, None))
    if info is None or transaction is not current:
        info = {}
        session.info[_KEY] = (current, info)
    typed_info: dict[str, Any] = info
    return typed_info
