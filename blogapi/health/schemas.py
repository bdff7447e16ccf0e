"""Response body of the health check."""

from __future__ import annotations

import marshmallow as ma

from blogapi.web.fields import OutputSchema


class HealthSchema(OutputSchema):
    """The status of a healthy service."""

    status = ma.fields.String(metadata={"enum": ["ok"]})
