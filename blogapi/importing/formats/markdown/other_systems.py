"""Refuse the files of unsupported systems, which have the same suffixes as articles."""

from __future__ import annotations

import re
from pathlib import Path

from blogapi.importing.formats.markdown import paths

# Grav names a file after its template, and gives the folders of pages in menus a number.
_GRAV_FOLDER = re.compile(r"[0-9]{2}\..+")
_GRAV_PAGE = re.compile(r"(?:item|default|modular|blog_item)(?:\.[a-z]{2})?\.md")
_GRAV_POST = re.compile(r"item(?:\.[a-z]{2})?\.md")
# Kirby writes `Name: value`, and a line of dashes between the fields.
_KIRBY_FIELD = re.compile(r"\s*+[A-Za-z][\w-]{0,40}:")
_KIRBY_SEPARATOR = re.compile(r"\n\n----[ \t]*+\n\s*+[A-Za-z][\w-]{0,40}:")


def check_path(path: Path, key: str, levels: int) -> None:
    """Raise RefusedFile if a file belongs to Grav, Statamic or Kirby; looks into `levels` outer folders."""
    is_page = _GRAV_PAGE.fullmatch(path.name) and any(map(_GRAV_FOLDER.fullmatch, key.split("/")[:-1]))
    if is_page or (_GRAV_POST.fullmatch(path.name) and (path.parents[1] / "blog.md").is_file()):
        raise paths.make_system_refusal("Grav")
    for outer in path.parents[:levels]:
        first, *inner = path.relative_to(outer).parts
        if first == "pages" and (outer / "config" / "system.yaml").is_file():
            raise paths.make_system_refusal("Grav")
        if outer.name == "collections" and inner and (outer / f"{first}.yaml").is_file():
            raise paths.make_system_refusal("Statamic")
        if first == "content" and any(map(Path.is_dir, (outer / "kirby", outer / "site" / "blueprints"))):
            raise paths.make_system_refusal("Kirby")


def check_text(key: str, text: str, generator: str) -> None:
    """Raise RefusedFile if a text file belongs to Kirby, or is reStructuredText of Nikola."""
    header = text.strip().partition("\n\n")[0]
    if "\n.. title:" in f"\n{header}" or generator == "nikola":
        raise paths.make_format_refusal(key, "rst")
    if _KIRBY_FIELD.match(text) and _KIRBY_SEPARATOR.search(text):
        raise paths.make_system_refusal("Kirby")
