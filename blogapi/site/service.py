"""Changes the site."""

from __future__ import annotations

from blogapi.site import queries
from blogapi.site.models import Site
from blogapi.storage.database import db, transaction
from blogapi.web.fields import Fields


def change(fields: Fields) -> Site:
    """Change the given fields of the site, as SiteChangesSchema loads them, and return the site."""
    with transaction():
        site = queries.get_site()
        for name, value in fields.items():
            setattr(site, name, value)
        db.session.flush()
    return site
