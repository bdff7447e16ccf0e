"""Table of tags."""

from __future__ import annotations

from blogapi.storage.database import Base
from blogapi.taxonomies.models import Term


class Tag(Term, Base):
    """A tag; an article has any number of them."""

    __tablename__ = "tag"
    kind = "tag"
