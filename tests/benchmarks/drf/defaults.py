"""The defaults of all views: permission and pagination.

These defaults need a separate module, because Django REST framework imports them when the views are imported.
"""

from __future__ import annotations

import hashlib
from typing import Any

from rest_framework import pagination, permissions
from rest_framework.request import Request
from rest_framework.response import Response

from tests.benchmarks.drf.models import ApiKey


class HasKey(permissions.BasePermission):
    """Permits reads with any known API key, and writes with the key of a user."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Return whether the key permits the request; store the user of the key in `request.auth`."""
        digest = hashlib.sha256(request.headers.get("X-API-KEY", "").encode("utf-8")).hexdigest()
        key = ApiKey.objects.filter(digest=digest).first()
        request.auth = key and key.user
        return key is not None and (request.method in permissions.SAFE_METHODS or key.user is not None)


class Pages(pagination.PageNumberPagination):
    """A list without `page` is complete. A list with `page` has a header with the total number of items."""

    page_size_query_param = "page_size"

    def get_page_size(self, request: Request) -> int | None:
        """Return the requested page size, or None for the complete list."""
        return super().get_page_size(request) if "page" in request.query_params else None

    def get_paginated_response(self, data: Any) -> Response:
        """Return the list without an enclosing object."""
        return Response(data, headers={"X-Total-Count": str(self.page.paginator.count)})
