"""The types of settings: functions that convert a value, and raise ValueError if it is invalid.

A value from an environment variable is a string; a value from the TOML file or from the argument of
`create_app` can have another type.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable
from email.utils import getaddresses, parseaddr
from ipaddress import ip_address, ip_network
from typing import Any

# A rate such as `20 per minute`, `20/minute` or `20 per 5 minutes`.
_RATE = re.compile(
    r"([0-9]{1,9})\s*(?:/|per)\s*(?:([1-9][0-9]{0,8})\s*)?(second|minute|hour|day|month|year)s?",
    re.IGNORECASE,
)
_UNIT_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "month": 30 * 86_400,
    "year": 365 * 86_400,
}
# Matches an origin. It also matches a URL with a path, credentials or a default port, so that the error
# message can show the origin of such a URL.
_ORIGIN = re.compile(
    r"(?:(?P<scheme>https?)://|//)?(?:[^/@]*@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[^\s/:@?#\[\]]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII,
)
_MEDIA_TYPE = re.compile(r"([a-z0-9]{1,10})=([a-z]+/[a-z0-9][a-z0-9.+_-]{0,99})")
# The types and extensions of files in which browsers run scripts.
_ACTIVE_TYPE = re.compile(
    r"text/(html|xml|xsl)|application/(xml|x-shockwave-flash)|.*(\+xml|script[0-9.]*)|multipart/.*"
)
_ACTIVE_EXTENSION = re.compile(r"s?html?|xht(ml)?|mht(ml)?|svgz?|xml|xslt?|[cm]?js|swf")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def text(value: Any) -> str:
    """Return the value of a string setting."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def command(value: Any) -> tuple[str, ...]:
    """Return the program and arguments of a command, from a list or a text that is split as in a shell."""
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return tuple(value)
    try:
        return tuple(shlex.split(text(value)))
    except ValueError as error:
        raise ValueError(f"must be a command; {str(error).lower()}") from error


def number(maximum: int, *, minimum: int = 1) -> Callable[[Any], int]:
    """Return a parser for integer settings from `minimum` to `maximum`."""

    def parse(value: Any) -> int:
        digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not re.fullmatch(r"[0-9]{1,18}", digits) or not minimum <= int(digits) <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return int(digits)

    parse.__doc__ = f"A whole number from {minimum} to {maximum}."
    return parse


def flag(value: Any) -> bool:
    """Return the value of a boolean setting."""
    words = {True: True, False: False, "true": True, "false": False}
    if not isinstance(value, bool | str) or value not in words:
        raise ValueError("must be true or false")
    return words[value]


def names(value: Any) -> tuple[str, ...]:
    """Return the value of a list setting, given as a list or as a comma-separated string."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of strings")
    return tuple(part.strip() for part in parts if part.strip())


def origins(value: Any) -> tuple[str, ...]:
    """Return the value of a list of origins; each must be spelled as browsers send it."""
    values = names(value)
    for origin in values:
        if origin == "null":
            raise ValueError(
                "must not contain 'null', which any site can make a browser send; name each origin"
            )
        if "*" in origin:
            raise ValueError(f"must not contain patterns such as {origin!r}; name each origin")
        normalized = ", ".join(_normalize_origin(part) for part in origin.split())
        if normalized != origin:
            raise ValueError(
                f"must list origins as browsers send them: write {normalized!r} instead of {origin!r}"
            )
    return values


def _normalize_origin(text: str) -> str:
    match = _ORIGIN.fullmatch(text.strip("'\""))
    host = host_in_ascii(match["host"]) if match else ""
    port = int(match["port"] or 0) if match else 0
    if not match or not host or port > 65_535:
        raise ValueError(
            "must be a comma-separated list of origins such as 'https://blog.example'; "
            f"{text!r} is not an origin"
        )
    is_local = host in ("localhost", "[::1]") or host.startswith("127.")
    scheme = (match["scheme"] or ("http" if is_local else "https")).lower()
    return f"{scheme}://{host}{f':{port}' if port not in (0, _DEFAULT_PORTS[scheme]) else ''}"


def host_in_ascii(host: str) -> str:
    """Return the host in ASCII, as browsers send it, or an empty string if it is invalid."""
    # Python's idna codec turns ß into ss, but browsers keep ß.
    labels = unicodedata.normalize("NFKC", host.lower()).replace("。", ".").split(".")
    if host.startswith("[") or labels[-1].isdecimal():
        try:
            address = ip_address(host.strip("[]"))
        except ValueError:
            return ""
        return str(address) if address.version == 4 else f"[{address.compressed}]"
    ascii_labels = [
        label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}" for label in labels
    ]
    return ".".join(ascii_labels) if all(map(_LABEL.fullmatch, ascii_labels)) else ""


def hosts(value: Any) -> tuple[str, ...]:
    """Return the value of a list of host names and IP addresses, each as it is written in a URL."""
    values = names(value)
    for host in values:
        if host_in_ascii(host) != host:
            raise ValueError(f"must list hosts such as 'build.example' or '10.0.0.7'; {host!r} is not one")
    return values


def media_types(value: Any) -> tuple[str, ...]:
    """Return a list of `extension=type` in lowercase; files that can contain scripts are refused."""
    values = tuple(item.lower() for item in names(value))
    extensions = []
    for item in values:
        match = _MEDIA_TYPE.fullmatch(item)
        if match is None:
            raise ValueError(f"must list items such as 'epub=application/epub+zip'; {item!r} is not one")
        if _ACTIVE_TYPE.fullmatch(match[2]) or _ACTIVE_EXTENSION.fullmatch(match[1]):
            raise ValueError(f"must not contain {item!r}, because browsers run the scripts of such files")
        extensions.append(match[1])
    if len(extensions) > len(set(extensions)):
        raise ValueError("must list each extension once")
    return values


def rate(value: Any) -> str:
    """Return the value of a limit such as `20 per minute`, or of several limits separated by semicolons."""
    parse_rates(text(value))
    return text(value)


def parse_rates(limit: str) -> tuple[tuple[int, int], ...]:
    """Return (number of attempts, seconds) for each rate in the limit; raises ValueError if it is invalid."""
    rates = []
    for part in re.split("[;,|]", limit):
        match = _RATE.fullmatch(part.strip())
        if match is None or int(match[1]) == 0:
            raise ValueError("must be a limit such as '20 per minute'")
        rates.append((int(match[1]), int(match[2] or 1) * _UNIT_SECONDS[match[3].lower()]))
    return tuple(rates)


def rate_or_none(value: Any) -> str:
    """Return the value of a limit such as `600 per minute`; an empty string stands for no limit."""
    return rate(value) if value != "" else ""


def network(value: Any) -> str:
    """Return the value of a setting that is an IP address, a network such as `172.16.0.0/12`, or empty."""
    try:
        return value and str(ip_network(text(value), strict=False))
    except ValueError as error:
        raise ValueError("must be an IP address or a network") from error


def sender(value: Any) -> str:
    """Return the value of a sender such as `Blog <blog@example.org>`, which may be empty."""
    name = text(value).strip()
    # `parseaddr` of older versions of Python ignores any text after the first address.
    address = parseaddr(name)[1] if len(getaddresses([name])) == 1 else ""
    if name and ("\n" in name or not re.fullmatch(r"[^@\s]+@[^@\s]+", address)):
        raise ValueError("must be an address such as 'blog@example.org' or 'My blog <blog@example.org>'")
    return name


def one_of(*words: str) -> Callable[[Any], str]:
    """Return a parser for settings whose value is one of `words`."""

    def parse(value: Any) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return str(value)

    parse.__doc__ = " or ".join(f"`{word}`" for word in words)
    return parse
