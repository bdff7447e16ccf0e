"""What all views have in common: who may ask, and how a list is cut into pages.

Apart from the views, as importing those asks for it.
"""

from __future__ import annotations

import hashlib
from typing import Any

from rest_framework import pagination, permissions
from rest_framework.request import Request
from rest_framework.response import Response

from tests.benchmarks.drf.models import ApiKey


class HasKey(permissions.BasePermission):
    """A request carries a key that is known."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Tell whether it does."""
        digest = hashlib.sha256(request.headers.get("X-API-KEY", "").encode("utf-8")).hexdigest()
        return ApiKey.objects.filter(digest=digest).exists()


class Pages(pagination.PageNumberPagination):
    """Complete without parameters; a page has its total in a header."""

    page_size_query_param = "page_size"

    def get_page_size(self, request: Request) -> int | None:
        """Return how many are asked for, or None for all."""
        return super().get_page_size(request) if "page" in request.query_params else None

    def get_paginated_response(self, data: Any) -> Response:
        """Return the bare list."""
        return Response(data, headers={"X-Total-Count": str(self.page.paginator.count)})
