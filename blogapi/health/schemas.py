"""Wire shape of the health check."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import OutputSchema


class HealthSchema(OutputSchema):
    """What a healthy service says."""

    status = ma.fields.String(metadata={"enum": ["ok"]})
