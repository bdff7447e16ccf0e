"""What the generator of a site makes of dates: time zones, and posts with a date in the future."""

from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

from blogapi.importing.formats.markdown.generators import Site
from blogapi.importing.texts.dates import Zones, find_zone
from blogapi.importing.texts.lines import to_bool, to_line

#: The note of a scheduled article in a site that shows such articles.
SHOWN_EARLY = "Its date is in the future, and the old blog could show it already; here it is scheduled."

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
    # Jekyll takes a time as UTC, whatever its `timezone` says (which only decides how times are shown).
    configured = None if site.generator == "jekyll" else _find_zone(site)
    return Zones(time_zone, configured or (time_zone if site.generator in _WITHOUT_DEFAULT else UTC))


def _find_zone(site: Site) -> ZoneInfo | None:
    return find_zone(to_line(site.settings.get("timezone")))


def describe_zones(site: Site, time_zone: tzinfo) -> str:
    """Return the sentence for the report if the site has another zone than this blog, or ""."""
    times = get_zones(site, time_zone).times
    former = _find_zone(site) or times
    if str(former) == str(time_zone):
        return ""
    return (
        f"The time zone of the old blog ({former}) is not that of this site ({time_zone}): a date without a "
        f"time is midnight in {time_zone}, and a time without an offset is one in {times}."
    )


def shows_future(site: Site) -> bool:
    """Return whether the site shows posts before their date."""
    name, default = _SHOWS_FUTURE.get(site.generator, ("", True))
    value = to_bool(site.settings.get(name))
    return default if value is None else value
