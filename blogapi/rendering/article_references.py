"""The pattern of references to articles (`article:<uuid>`), which `article_links` replaces by addresses."""

from __future__ import annotations

import re

ARTICLE_REFERENCE = re.compile(r"(?i:article:(?P<article>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))")
