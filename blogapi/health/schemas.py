"""Wire shape of the health check."""

from __future__ import annotations

import marshmallow as ma

from blogapi.core.schema import Shown


class HealthSchema(Shown):
    """What a healthy service says."""

    status = ma.fields.String(metadata={"enum": ["ok"]})
