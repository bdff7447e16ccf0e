"""What the generator of a site makes of dates: time zones, and posts with a date in the future."""

from __future__ import annotations

from datetime import UTC, tzinfo

from blogapi.importing.formats.markdown.generators import Site
from blogapi.importing.texts.dates import Zones, find_zone
from blogapi.importing.texts.keys import normalize_key
from blogapi.importing.texts.lines import to_bool, to_line

#: The note of a scheduled article in a site that shows such articles.
SHOWN_EARLY = "Its date is in the future, and the old blog could show it already; here it is scheduled."

# A time is in UTC in Jekyll, whatever its `timezone` says (which only decides how times are shown).
_ALWAYS_UTC = {"jekyll"}
# These take the zone of the computer if the configuration has none; the others take UTC.
_WITHOUT_DEFAULT = {"hexo", "quartz", "dendron", "sphinx"}
# The settings that show posts with a date in the future, and their defaults; all others show them.
_SHOWS_FUTURE = {
    "jekyll": ("future", False),
    "hugo": ("buildfuture", False),
    "nikola": ("futureisnow", False),
    "hexo": ("future", True),
    "pelican": ("withfuturedates", True),
}


def get_zones(site: Site | None, time_zone: tzinfo) -> Zones:
    """Return the zones for the files of a site; `time_zone` is that of this blog, also for all bare dates."""
    if site is None:
        return Zones(time_zone, time_zone)
    default = time_zone if site.generator in _WITHOUT_DEFAULT else UTC
    configured = None if site.generator in _ALWAYS_UTC else find_zone(_get_setting(site, "timezone"))
    return Zones(time_zone, configured or default)


def describe_zones(site: Site | None, time_zone: tzinfo) -> str:
    """Return the sentence for the report if the site has another zone than this blog, or ""."""
    times = get_zones(site, time_zone).times
    former = (site and find_zone(_get_setting(site, "timezone"))) or times
    if str(former) == str(time_zone):
        return ""
    return (
        f"The time zone of the old blog ({former}) is not that of this site ({time_zone}): a date without a "
        f"time is midnight in {time_zone}, and a time without an offset is one in {times}."
    )


def shows_future(site: Site | None) -> bool:
    """Return whether the site shows posts before their date."""
    name, default = _SHOWS_FUTURE.get(site.generator, ("", True)) if site else ("", False)
    value = to_bool(_get_setting(site, name)) if site else None
    return default if value is None else value


def _get_setting(site: Site, name: str) -> str:
    """Return a setting on one line; `name` is in the form of `normalize_key`."""
    return next((to_line(value) for key, value in site.settings.items() if normalize_key(key) == name), "")
