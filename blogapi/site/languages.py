"""The description of the site in each of its languages."""

from __future__ import annotations

from typing import cast

from blogapi.parsing import normalize_language
from blogapi.site.models import Site
from blogapi.web.fields import WithAttributes


def describe_in_language(site: Site, language: str) -> Site:
    """Return the site with its title and description in the language, if they exist in this language.

    An empty language stands for the language of the site.
    """
    if language in ("", normalize_language(site.language)):
        return site
    for other in site.other_languages:
        if other["language"] == language:
            title, description = other["title"] or site.title, other["description"] or site.description
            changed = WithAttributes(site, language=language, title=title, description=description)
            return cast(Site, changed)
    return cast(Site, WithAttributes(site, language=language))
