"""Find the site to which a file belongs, its generator, and what its configuration says about dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo

from blogapi.clock import convert_to_zone
from blogapi.importing.format_api.privacy import DraftReason
from blogapi.importing.format_api.source_files import SITE_FILE, SITE_FILES, read_head
from blogapi.importing.refusals import RefusedFile
from blogapi.importing.texts.dates import Zones, find_zone
from blogapi.importing.texts.lines import normalize_key, split_words, to_bool, to_line
from blogapi.importing.texts.parsers import parse_json, parse_toml, parse_yaml

_MAX_CONFIGURATION_BYTES = 200_000
# The addresses of these generators lack the date of the file name; Pelican's are derived from the title.
_DATE_REMOVING_GENERATORS = split_words("""jekyll eleventy docusaurus pelican vuepress vitepress metalsmith
    dendron lume""")
# The addresses of these generators have the date of the file name if the configuration says so.
_DATE_KEEPING_SETTINGS = {
    "hexo": re.compile(r"^new_post_name\s*:(?!.*:day)", re.MULTILINE),
    "zola": re.compile(r"^(?:slugify\.)?paths_keep_dates\s*=\s*true", re.MULTILINE),
}
#: The note of a scheduled article in a site that shows such articles.
SHOWN_EARLY_NOTE = "Its date is in the future, but the old blog can show it already; here it is scheduled."

# These generators use the zone of the computer if the configuration has none; the other generators use UTC.
_LOCAL_TIME_GENERATORS = {"hexo", "quartz", "dendron", "sphinx", "lume"}
# By generator: the setting that shows posts with a date in the future, and the default of this setting.
_FUTURE_SETTINGS = {
    **{"jekyll": ("future", False), "hugo": ("buildfuture", False), "nikola": ("futureisnow", False)},
    **{"hexo": ("future", True), "pelican": ("withfuturedates", True)},
}
# By generator: the setting that shows drafts, and the `DraftReason.sign` of the drafts that it shows.
_DRAFT_SETTINGS = {
    "hugo": ("buildDrafts", "draft"),
    "hexo": ("render_drafts", "_drafts"),
    "jekyll": ("show_drafts", "_drafts"),
}
_HEXO_SETTING = re.compile(
    r"^(?:new_post_name|post_asset_folder|public_dir|skip_render)[ \t]*+:", re.MULTILINE
)
_ZOLA_SETTING = re.compile(r"^base_url\s*=", re.MULTILINE)
_NIKOLA_SETTING = re.compile(r"^POSTS[ \t]*+=", re.MULTILINE)
# Matches `NAME = 'a word'` in a configuration in Python.
_PYTHON_SETTING = re.compile(r"^([A-Z_]++)[ \t]*+=[ \t]*+[\"']?([\w/+-]++)[\"']?[ \t]*+(?:#|$)", re.MULTILINE)
_CONFIGURATION_PARSERS: dict[str, Callable[[str], dict[str, object]]] = {
    **dict.fromkeys((".yml", ".yaml"), lambda text: parse_yaml(text, 1)[0]),
    ".toml": lambda text: parse_toml(text, 1)[0],
    ".json": lambda text: parse_json(text, 1)[0],
    ".py": lambda text: dict(_PYTHON_SETTING.findall(text)),
}


@dataclass(frozen=True, slots=True, eq=False)
class GeneratorSite:
    """A folder with the configuration of a generator."""

    folder: Path
    generator: str  #: a key of SITE_FILES, "hexo", or "sphinx"
    configuration: str  #: the name of the file or folder, for notes
    #: by normalized key, with scalars of YAML as text; {} if the configuration is a program or unreadable
    settings: Mapping[str, object]
    text: str  #: the text of the configuration


@lru_cache(maxsize=1024)
def find_site(posts: Path, levels: int) -> GeneratorSite | None:
    """Return the site of the nearest folder with a generator's configuration, or None.

    `levels` is the number of folders that are searched: `posts` and its outer folders.
    """
    return next(filter(None, map(_read_site, (posts, *posts.parents[: levels - 1]))), None)


# The result is cached, because `find_site` reads the same outer folder for each folder below it.
@lru_cache(maxsize=256)
def _read_site(outer: Path) -> GeneratorSite | None:
    files = [*list_configuration_files(outer), *list_configuration_files(outer / "config" / "_default")]
    named = ((it, sorted(f for f in files if re.fullmatch(form, f.name))) for it, form in SITE_FILES.items())
    name, found = next((pair for pair in named if pair[1]), ("", list[Path]()))
    if not found:
        return None
    settings, texts = dict[str, object](), list[str]()
    for file in found:
        # The configuration of VuePress and VitePress is a folder with several programs.
        programs = sorted((*file.glob("*.*[jt]s"), *file.glob("config/*.*[jt]s")))
        texts += map(read_configuration, programs or [file])
        settings |= parse_configuration(file.suffix, texts[-1])
    settings = {normalize_key(key): value for key, value in settings.items()}
    text = "\n".join(texts)
    is_hexo = "source" not in settings and (outer / "source" / "_posts").is_dir()
    if name == "jekyll" and (is_hexo or _HEXO_SETTING.search(text)):
        name = "hexo"
    elif name == "hugo" and _ZOLA_SETTING.search(text):
        name = "zola"
    elif name == "nikola" and not _NIKOLA_SETTING.search(text):
        name = "sphinx"
    return GeneratorSite(outer, name, found[0].name, settings, text)


def parse_configuration(suffix: str, text: str) -> dict[str, object]:
    """Return the settings in a file with this suffix; {} if it is a program or cannot be read."""
    with suppress(RefusedFile, KeyError):
        return _CONFIGURATION_PARSERS[suffix](text.lstrip("\n"))
    return {}


def has_dates_in_addresses(site: GeneratorSite | None) -> bool:
    """Return whether the file `2006-05-26-a.md` has the address `/2006-05-26-a/` in a site, as in Hugo.

    Without a configuration, the address has no date, as in Jekyll.
    """
    if site is None or site.generator in _DATE_REMOVING_GENERATORS:
        return False
    if site.generator in _DATE_KEEPING_SETTINGS:
        return _DATE_KEEPING_SETTINGS[site.generator].search(site.text) is not None
    # Hugo removes the date if the configuration says that dates are taken from file names.
    return ":filename" not in site.text


def get_zones(site: GeneratorSite | None, time_zone: tzinfo) -> Zones:
    """Return the zones for the files of a site; dates without a time are in this blog's `time_zone`."""
    if site is None:
        return Zones(time_zone, time_zone)
    # Jekyll reads times without an offset as UTC; its `timezone` only decides how times are shown.
    configured = None if site.generator == "jekyll" else _find_site_zone(site)
    return Zones(time_zone, configured or (time_zone if site.generator in _LOCAL_TIME_GENERATORS else UTC))


def _find_site_zone(site: GeneratorSite) -> ZoneInfo | None:
    return find_zone(to_line(site.settings.get("timezone")))


def get_local_time(site: GeneratorSite, time: datetime, time_zone: tzinfo) -> datetime:
    """Return a time in the zone of the site; a date without a time stays midnight in `time_zone`."""
    local = convert_to_zone(time, time_zone)
    is_day = local.time() == local.min.time()
    return local if is_day else convert_to_zone(time, _find_site_zone(site) or time_zone)


def describe_zones(site: GeneratorSite, time_zone: tzinfo) -> str:
    """Return the sentence for the report if the site has another zone than this blog, or ""."""
    times = get_zones(site, time_zone).times
    former = _find_site_zone(site) or times
    if str(former) == str(time_zone):
        return ""
    return (
        f"The time zones of the old blog ({former}) and of this site ({time_zone}) differ: a date without a "
        f"time is midnight in {time_zone}, and a time without an offset is in {times}."
    )


def shows_future_posts(site: GeneratorSite) -> bool:
    """Return whether the site shows posts before their date."""
    setting, default = _FUTURE_SETTINGS.get(site.generator, ("", True))
    value = to_bool(site.settings.get(setting))
    return default if value is None else value


def to_guess_if_draft_is_shown(site: GeneratorSite, reason: DraftReason) -> DraftReason:
    """Return the reason, changed into a guess if a setting of the generator shows such drafts."""
    setting, sign = _DRAFT_SETTINGS.get(site.generator, ("", ""))
    if reason.sign != sign or not setting or not to_bool(site.settings.get(normalize_key(setting))):
        return reason
    note = (
        f"It is a draft, and “{site.configuration}” shows drafts (`{setting}`); the article became a draft."
    )
    return replace(reason, note=note, guess=f"config:{setting}", is_new=False)


def list_configuration_files(site: Path) -> list[Path]:
    """Return the configuration files of generators in a folder."""
    with suppress(OSError):
        return [path for path in site.iterdir() if SITE_FILE.fullmatch(path.name)]
    return []


def read_configuration(configuration: Path) -> str:
    """Return the beginning of a file; "" if it cannot be read."""
    with suppress(RefusedFile):
        return read_head(configuration, _MAX_CONFIGURATION_BYTES).decode("utf-8", "replace")
    return ""
