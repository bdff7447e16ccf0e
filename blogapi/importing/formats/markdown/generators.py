"""Find the site to which a file belongs, its generator and the settings in its configuration."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from blogapi.importing.format_api import files as folder
from blogapi.importing.format_api.files import SITE_FILE, SITE_FILES
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts import data as parsers

_MAX_CONFIGURATION = 200_000
_MAX_PYTHON_VALUE = 5_000
# These generators remove the date (Pelican derives the address from the title).
_REMOVING = re.compile(
    r"(?:\.eleventy|(?:eleventy|docusaurus)\.config|pelicanconf)\.[a-z]+"
    r"|\.(?:vue|vite)press|metalsmith\.[a-z]+|dendron\.yml"
)
_HEXO = re.compile(rb"^new_post_name\s*:(.*)", re.MULTILINE)
_HEXO_SETTING = re.compile(
    r"^(?:new_post_name|post_asset_folder|public_dir|skip_render)[ \t]*+:", re.MULTILINE
)
_ZOLA = re.compile(rb"^base_url\s*=", re.MULTILINE)
_ZOLA_KEEPS = re.compile(rb"^(?:slugify\.)?paths_keep_dates\s*=\s*true", re.MULTILINE)
_NIKOLA_SETTING = re.compile(r"^POSTS[ \t]*+=", re.MULTILINE)
# `NAME = value` in Python; the value ends before the next line that is not indented.
_PYTHON_SETTING = re.compile(r"^([A-Z_]++)[ \t]*+=(.*(?:\n(?:[ \t)\]}].*)?)*)", re.MULTILINE)
_PROGRAM = re.compile(r"[^.].*\.[cm]?[jt]s")


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A folder with the configuration of a generator."""

    folder: Path
    generator: str  #: a key of SITE_FILES, "hexo", or "sphinx"
    configuration: str  #: the name of the file or folder, for notes
    #: as written in the configuration, each scalar of YAML as text; {} if it is a program or cannot be read
    settings: Mapping[str, object]
    text: str  #: the text of the configuration


@lru_cache(maxsize=1024)
def find_site(posts: Path, levels: int) -> Site | None:
    """Return the site of the nearest of `levels` folders that has the configuration of a generator."""
    return next(filter(None, map(_read_site, (posts, *posts.parents[: levels - 1]))), None)


# A folder is read only once, and not again for each of the folders below it.
@lru_cache(maxsize=256)
def _read_site(outer: Path) -> Site | None:
    files = [*list_configuration(outer), *list_configuration(outer / "config" / "_default")]
    names = [
        name for name, pattern in SITE_FILES.items() for file in files if re.fullmatch(pattern, file.name)
    ]
    if not names:
        return None
    found = sorted(file for file in files if re.fullmatch(SITE_FILES[names[0]], file.name))
    # VuePress and VitePress have a folder with several programs.
    sources = [path for file in found for path in ([file] if file.is_file() else _list_programs(file))]
    texts = {path: read_configuration(path).decode("utf-8", "replace") for path in sources}
    text = "\n".join(texts.values())
    settings = {
        key: value for path in sources for key, value in parse_configuration(path.suffix, texts[path]).items()
    }
    is_hexo = names[0] == "jekyll" and (outer / "source" / "_posts").is_dir() and "source" not in settings
    generator = "hexo" if is_hexo else _name_generator(names[0], text)
    return Site(outer, generator, found[0].name, settings, text)


def _name_generator(name: str, text: str) -> str:
    """Return the generator; some of them have configuration files with the same name."""
    if name == "hugo" and _ZOLA.search(text.encode()):
        return "zola"
    if name == "jekyll" and _HEXO_SETTING.search(text):
        return "hexo"
    return "sphinx" if name == "nikola" and not _NIKOLA_SETTING.search(text) else name


def parse_configuration(suffix: str, text: str) -> Mapping[str, object]:
    """Return the settings in a file with this suffix; {} if it is a program or cannot be read."""
    with suppress(RefusedFile):
        if suffix in (".yml", ".yaml"):
            return parsers.parse_yaml(text, 1)[0]
        if suffix == ".toml":
            return parsers.parse_toml(text, 1)[0]
        if suffix == ".json":
            return parsers.parse_json(text.lstrip(), 1)[0]
        if suffix == ".py":
            return dict(filter(None, map(_parse_python, _PYTHON_SETTING.finditer(text))))
    return {}


def _parse_python(setting: re.Match[str]) -> tuple[str, object] | None:
    """Return the name and the value of a setting that is a literal; nothing is run."""
    # Parsing is limited, because it is recursive.
    with suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return setting[1], ast.literal_eval(setting[2][:_MAX_PYTHON_VALUE].strip())
    return None


def _list_programs(outer: Path) -> list[Path]:
    found = list[Path]()
    for inner in (outer, outer / "config"):
        with suppress(OSError):
            found += sorted(path for path in inner.iterdir() if _PROGRAM.fullmatch(path.name))
    return found


# A folder is checked only once, and not again for each of its files.
@lru_cache(maxsize=1024)
def keeps_dates(posts: Path, levels: int) -> bool:
    """Return whether `2006-05-26-a.md` in this folder has the address `/2006-05-26-a/`, as in Hugo.

    The nearest of `levels` folders with the configuration of a generator decides. Without one, the date is
    not part of the address, as in Jekyll.
    """
    for outer in (posts, *posts.parents[: levels - 1]):
        files = [*list_configuration(outer), *list_configuration(outer / "config" / "_default")]
        if files:
            return not any(map(_removes_dates, files))
    return False


def list_configuration(site: Path) -> list[Path]:
    """Return the configuration files of generators in a folder."""
    try:
        return [path for path in site.iterdir() if SITE_FILE.fullmatch(path.name)]
    except OSError:
        return []


def _removes_dates(configuration: Path) -> bool:
    if _REMOVING.fullmatch(configuration.name):
        return True
    text = read_configuration(configuration)
    if configuration.name.startswith("_config."):
        hexo = _HEXO.search(text)
        return b":day" in hexo[1] if hexo else True
    if _ZOLA.search(text):
        return not _ZOLA_KEEPS.search(text)
    # Hugo removes the date if the configuration says that dates are taken from file names.
    return b":filename" in text


def read_configuration(configuration: Path) -> bytes:
    """Return the beginning of a file; b"" if it cannot be read."""
    try:
        return folder.read_head(configuration, _MAX_CONFIGURATION)
    except RefusedFile:
        return b""
