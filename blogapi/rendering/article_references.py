"""References to articles in texts, `article:<uuid>`; `articles.responses.article_links` replaces them."""

from __future__ import annotations

import re

ARTICLE_REFERENCE = re.compile(r"(?i:article:(?P<article>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))")
