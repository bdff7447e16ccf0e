"""The result of resolving template tags or wiki links in a text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Resolved:
    """A text with resolved template tags or wiki links."""

    content: str
    #: what is still in the text, or was removed with its text kept, by the name of the tag
    unresolved: Counter[str] = field(default_factory=Counter)
    notes: tuple[str, ...] = ()  #: sentences for the report of the article
