"""A template tag, and what the handlers of tags get and return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from blogapi.transfer.link_targets import LinkTargets
from blogapi.transfer.markdown.tag_arguments import Arguments
from blogapi.transfer.markdown.tag_markup import Markup


@dataclass(frozen=True, slots=True)
class Tag:
    """A template tag with its arguments."""

    name: str  #: in lower case; of an include: the name of the included file, without suffix
    arguments: Arguments
    is_include: bool = False
    is_hexo: bool = False  #: whether the tag is written as `{% name … %}`
    #: the text of the tag up to its closing tag, if it is known; else ""
    inner: str = ""


@dataclass(frozen=True, slots=True)
class Context:
    """What handlers need besides the tag."""

    markup: Markup
    targets: LinkTargets


#: Returns the text that a tag stands for, or None if it stays as it is.
Handler = Callable[[Tag, Context], str | None]
