"""The list of all settings, each with its name, type, default and description."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import getaddresses, parseaddr
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, NamedTuple

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
# Matches an origin, and also a URL with a path, credentials or a default port, so that the error message can
# show the origin of that URL.
_ORIGIN = re.compile(
    r"(?:(?P<scheme>https?)://|//)?(?:[^/@]*@)?"
    r"(?P<host>\[[0-9a-f:.]+\]|[^\s/:@?#\[\]]+)(?::(?P<port>[0-9]{1,5}))?(?:[/?#].*)?",
    re.IGNORECASE | re.ASCII,
)
_MEDIA_TYPE_ENTRY = re.compile(r"([a-z0-9]{1,10})=([a-z]+/[a-z0-9][a-z0-9.+_-]{0,99})")
# The types and extensions of files in which browsers run scripts.
_ACTIVE_TYPE = re.compile(
    r"text/(html|xml|xsl)|application/(xml|x-shockwave-flash)|.*(\+xml|script[0-9.]*)|multipart/.*"
)
_ACTIVE_EXTENSION = re.compile(r"s?html?|xht(ml)?|mht(ml)?|svgz?|xml|xslt?|[cm]?js|swf")
_HOST_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def parse_string(value: Any) -> str:
    """Return the value of a string setting."""
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def parse_command(value: Any) -> tuple[str, ...]:
    """Return the program and arguments of a command, from a list or a text that is split as in a shell."""
    if isinstance(value, list | tuple) and all(isinstance(word, str) for word in value):
        return tuple(value)
    try:
        return tuple(shlex.split(parse_string(value)))
    except ValueError as error:
        raise ValueError(f"must be a command; {str(error).lower()}") from error


def make_number_parser(maximum: int, *, minimum: int = 1) -> Callable[[Any], int]:
    """Return a parser for integer settings from `minimum` to `maximum`."""

    def parse_number(value: Any) -> int:
        digits = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
        if not re.fullmatch(r"[0-9]{1,18}", digits) or not minimum <= int(digits) <= maximum:
            raise ValueError(f"must be a whole number from {minimum} to {maximum}")
        return int(digits)

    parse_number.__doc__ = f"A whole number from {minimum} to {maximum}."
    return parse_number


def parse_boolean(value: Any) -> bool:
    """Return the value of a boolean setting."""
    words = {True: True, False: False, "true": True, "false": False}
    if not isinstance(value, bool | str) or value not in words:
        raise ValueError("must be true or false")
    return words[value]


def parse_string_list(value: Any) -> tuple[str, ...]:
    """Return the value of a list setting, given as a list or as a comma-separated string."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("must be a list of strings")
    return tuple(part.strip() for part in parts if part.strip())


def parse_origins(value: Any) -> tuple[str, ...]:
    """Return the value of a list of origins; each must be spelled as browsers send it."""
    values = parse_string_list(value)
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
    host = encode_host(match["host"]) if match else ""
    port = int(match["port"] or 0) if match else 0
    if not match or not host or port > 65_535:
        raise ValueError(
            "must be a comma-separated list of origins such as 'https://blog.example'; "
            f"{text!r} is not an origin"
        )
    is_local = host in ("localhost", "[::1]") or host.startswith("127.")
    scheme = (match["scheme"] or ("http" if is_local else "https")).lower()
    return f"{scheme}://{host}{f':{port}' if port not in (0, _DEFAULT_PORTS[scheme]) else ''}"


def encode_host(host: str) -> str:
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
    return ".".join(ascii_labels) if all(map(_HOST_LABEL.fullmatch, ascii_labels)) else ""


def parse_hosts(value: Any) -> tuple[str, ...]:
    """Return the value of a list of host names and IP addresses, each as it is written in a URL."""
    values = parse_string_list(value)
    for host in values:
        if encode_host(host) != host:
            raise ValueError(f"must list hosts such as 'build.example' or '10.0.0.7'; {host!r} is not one")
    return values


def parse_media_types(value: Any) -> tuple[str, ...]:
    """Return a list of `extension=type` in lowercase; files that can contain scripts are refused."""
    values = tuple(item.lower() for item in parse_string_list(value))
    extensions = []
    for item in values:
        match = _MEDIA_TYPE_ENTRY.fullmatch(item)
        if match is None:
            raise ValueError(f"must list items such as 'epub=application/epub+zip'; {item!r} is not one")
        if _ACTIVE_TYPE.fullmatch(match[2]) or _ACTIVE_EXTENSION.fullmatch(match[1]):
            raise ValueError(f"must not contain {item!r}, because browsers run the scripts of such files")
        extensions.append(match[1])
    if len(extensions) > len(set(extensions)):
        raise ValueError("must list each extension once")
    return values


def parse_limit_setting(value: Any) -> str:
    """Return the value of a limit such as `20 per minute`, or of several limits separated by semicolons."""
    parse_rates(parse_string(value))
    return parse_string(value)


def parse_rates(limit: str) -> tuple[tuple[int, int], ...]:
    """Return (number of attempts, seconds) for each rate in the limit; raises ValueError if it is invalid."""
    rates = []
    for part in re.split("[;,|]", limit):
        match = _RATE.fullmatch(part.strip())
        if match is None or int(match[1]) == 0:
            raise ValueError("must be a limit such as '20 per minute'")
        rates.append((int(match[1]), int(match[2] or 1) * _UNIT_SECONDS[match[3].lower()]))
    return tuple(rates)


def parse_optional_limit_setting(value: Any) -> str:
    """Return the value of a limit such as `600 per minute`; an empty string stands for no limit."""
    return parse_limit_setting(value) if value != "" else ""


def parse_network(value: Any) -> str:
    """Return the value of a setting that is an IP address, a network such as `172.16.0.0/12`, or empty."""
    if not value:
        return ""
    try:
        network = ip_network(parse_string(value), strict=False)
    except ValueError as error:
        raise ValueError("must be an IP address or a network") from error
    if isinstance(network, IPv6Network) and network.prefixlen >= 96:
        # The server converts an address such as `::ffff:1.2.3.4` to IPv4, so convert the network too.
        mapped = network.network_address.ipv4_mapped
        network = IPv4Network((mapped, network.prefixlen - 96)) if mapped else network
    return str(network)


def parse_sender(value: Any) -> str:
    """Return the sender of e-mails, such as `Blog <blog@example.org>`, or an empty string."""
    name = parse_string(value).strip()
    # `parseaddr` of older versions of Python ignores any text after the first address.
    address = parseaddr(name)[1] if len(getaddresses([name])) == 1 else ""
    if name and ("\n" in name or not re.fullmatch(r"[^@\s]+@[^@\s]+", address)):
        raise ValueError("must be an address such as 'blog@example.org' or 'My blog <blog@example.org>'")
    return name


def make_choice_parser(*words: str) -> Callable[[Any], str]:
    """Return a parser for settings whose value is one of `words`."""

    def parse_choice(value: Any) -> str:
        if value not in words:
            raise ValueError(f"must be one of {', '.join(words)}")
        return str(value)

    parse_choice.__doc__ = " or ".join(f"`{word}`" for word in words)
    return parse_choice


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name, the parser of its value, its default, and its description for the guide."""

    name: str
    parse: Callable[[Any], Any]
    default: Any
    description: str


class RemovedSetting(NamedTuple):
    """The minor version that removed a setting, and why the setting has no effect."""

    since: tuple[int, int]
    reason: str


SETTINGS = (
    Setting(
        "DATABASE_URL",
        parse_string,
        "",
        "URL of the database; by default, it is `blog.db` in the instance folder.",
    ),
    Setting(
        "SECRET_KEY",
        parse_string,
        "",
        "Key that signs session cookies; by default, it is created at the first start and stored.",
    ),
    Setting(
        "KEY_CREATION",
        make_choice_parser("open", "users", "admins"),
        "open",
        "Who may create API keys: everyone (`open`), `users` or `admins`.",
    ),
    Setting(
        "REQUEST_ADDRESS_LIMIT",
        parse_optional_limit_setting,
        "",
        "Limit on requests per address; no limit by default.",
    ),
    Setting(
        "REQUEST_KEY_LIMIT",
        parse_optional_limit_setting,
        "",
        "Limit on requests per API key; no limit by default.",
    ),
    Setting(
        "KEY_LIMIT",
        parse_limit_setting,
        "300 per minute; 1000 per hour",
        "Limit on new API keys per address.",
    ),
    Setting(
        "LOGIN_ADDRESS_LIMIT", parse_limit_setting, "30 per minute", "Limit on failed logins per address."
    ),
    Setting(
        "LOGIN_ACCOUNT_LIMIT",
        parse_limit_setting,
        "10 per minute; 50 per hour",
        "Limit on failed logins per address and account.",
    ),
    Setting(
        "LOGIN_STRANGERS_LIMIT",
        parse_limit_setting,
        "100 per minute; 1000 per hour",
        "Limit on failed logins per account, from all addresses that have not yet logged in to it.",
    ),
    Setting(
        "SECOND_FACTOR_LIMIT",
        parse_limit_setting,
        "10 per minute; 100 per day",
        "Limit on wrong codes of a second factor per account, from all addresses.",
    ),
    Setting(
        "REQUIRE_SECOND_FACTOR",
        parse_boolean,
        False,
        "Admins must set up a second factor before they can do anything else. API keys are not affected.",
    ),
    Setting(
        "LIMITS_URL",
        parse_string,
        "",
        "URL of a Redis server that counts the requests of all processes for the limits (`redis://…` or "
        "`rediss://…`). By default, each process counts separately.",
    ),
    Setting(
        "WEBHOOK_HOSTS",
        parse_hosts,
        (),
        "Hosts that webhooks may call even in a private network, and also with `http://`.",
    ),
    Setting(
        "SMTP_HOST",
        parse_string,
        "",
        "Mail server for invitations and forgotten passwords; it needs `SMTP_SENDER` too.",
    ),
    Setting(
        "SMTP_PORT",
        make_number_parser(65_535),
        587,
        "Port of the mail server: usually 587, or 465 for `tls`.",
    ),
    Setting(
        "SMTP_TLS",
        make_choice_parser("starttls", "tls", "none"),
        "starttls",
        "Encryption of the connection to the mail server: `starttls`, `tls` from the start, or `none`.",
    ),
    Setting("SMTP_USER", parse_string, "", "User name at the mail server; without it, no password is sent."),
    Setting(
        "SMTP_PASSWORD",
        parse_string,
        "",
        "Password at the mail server. Set `BLOGAPI_SMTP_PASSWORD`, because backups contain `config.toml`.",
    ),
    Setting("SMTP_SENDER", parse_sender, "", "Sender of e-mails, such as `My blog <blog@example.org>`."),
    Setting(
        "EMAIL_LIMIT",
        parse_limit_setting,
        "5 per hour",
        "Limit on links for a forgotten password by e-mail, per account and per address.",
    ),
    Setting(
        "SEARCH_LIMIT",
        parse_limit_setting,
        "30 per minute; 300 per hour",
        "Limit on searches in the built-in site per address.",
    ),
    Setting("SESSION_DAYS", make_number_parser(3650), 14, "Lifetime of a login, in days."),
    Setting("CORS_ORIGINS", parse_origins, (), "Origins whose pages may call the API from a browser."),
    Setting("PUBLIC_READS", parse_boolean, False, "Let everyone read published content without an API key."),
    Setting(
        "SHARED_MAX_AGE",
        make_number_parser(31_536_000, minimum=0),
        60,
        "How long a shared cache may keep responses that need no key (`s-maxage`), in seconds.",
    ),
    Setting(
        "STALE_WHILE_REVALIDATE",
        make_number_parser(31_536_000, minimum=0),
        30,
        "How long after `SHARED_MAX_AGE` a shared cache may still send a response that needs no key while it "
        "gets a new one, in seconds.",
    ),
    Setting(
        "MAX_CONTENT_LENGTH",
        make_number_parser(2**31 - 1),
        16 * 1024 * 1024,
        "Maximum size of a request body, in bytes.",
    ),
    Setting(
        "REQUEST_SECONDS", make_number_parser(3600), 10, "Maximum time for a request to arrive, in seconds."
    ),
    Setting(
        "CACHE_MEGABYTES",
        make_number_parser(65_536),
        64,
        "Maximum memory of the response cache, in megabytes.",
    ),
    Setting(
        "CACHE_STALENESS_MS",
        make_number_parser(60_000, minimum=0),
        0,
        "On PostgreSQL, how long a server may send cached responses without a key after another server has "
        "written, in milliseconds.",
    ),
    Setting(
        "DAILY_BACKUPS",
        make_number_parser(1000, minimum=0),
        0,
        "Number of daily [backups](backups.md) that `serve` keeps in `backups` in the instance folder.",
    ),
    Setting(
        "BACKUP_COMMAND",
        parse_command,
        (),
        "Command that runs after each [backup](backups.md#copy-backups-elsewhere), for example to copy it.",
    ),
    Setting(
        "REQUIRE_IF_MATCH",
        parse_boolean,
        False,
        "Refuse changes of existing items without an `If-Match` header.",
    ),
    Setting(
        "MAX_NAME",
        make_number_parser(10_000),
        100,
        "Maximum length of a category or tag name, in characters.",
    ),
    Setting(
        "MAX_TITLE", make_number_parser(10_000), 255, "Maximum length of a title or SEO title, in characters."
    ),
    Setting("MAX_SUBTITLE", make_number_parser(100_000), 500, "Maximum length of a subtitle, in characters."),
    Setting(
        "MAX_EXCERPT", make_number_parser(100_000), 10_000, "Maximum length of an excerpt, in characters."
    ),
    Setting("MAX_URL", make_number_parser(100_000), 2048, "Maximum length of a URL, in characters."),
    Setting(
        "MAX_CONTENT",
        make_number_parser(2**30),
        2 * 1024 * 1024,
        "Maximum length of the content of an article, in characters.",
    ),
    Setting("MAX_TAGS", make_number_parser(1000), 50, "Maximum number of tags of an article."),
    Setting("MAX_AUTHORS", make_number_parser(1000), 50, "Maximum number of authors of an article."),
    Setting(
        "MEDIA_PATH",
        parse_string,
        "",
        "Folder of the media files; by default, it is `media` in the instance folder. Servers that share a "
        "database need the same folder.",
    ),
    Setting(
        "MAX_MEDIA_SIZE",
        make_number_parser(2**31 - 1),
        25 * 1024 * 1024,
        "Maximum size of a media file, in bytes.",
    ),
    Setting(
        "MAX_IMPORT_SIZE",
        make_number_parser(2**40),
        10**9,
        "Maximum size of a file that is uploaded for an import, in bytes.",
    ),
    Setting(
        "MEDIA_GIGABYTES",
        make_number_parser(1_000_000),
        10,
        "Maximum size of all media files, without resized copies of pictures, in gigabytes.",
    ),
    Setting(
        "PICTURE_CACHE_MEGABYTES",
        make_number_parser(1_000_000),
        1000,
        "Maximum size of all resized copies of pictures, in megabytes. The least recently requested copies "
        "are deleted first; a request makes them again.",
    ),
    Setting(
        "PICTURE_LIMIT",
        parse_limit_setting,
        "120 per minute; 3000 per hour",
        "Limit on new resized copies of pictures per address without a login. Above this limit, a larger "
        "copy or the original is sent.",
    ),
    Setting(
        "MEDIA_TYPES",
        parse_media_types,
        (),
        "Further types of files that the media library accepts and serves as downloads, such as "
        "`epub=application/epub+zip`.",
    ),
    Setting(
        "BIN_DAYS",
        make_number_parser(3650, minimum=0),
        30,
        "How long a deleted article or page and its edits can be restored, in days; 0 for not at all.",
    ),
    Setting("MAX_BULK", make_number_parser(10_000), 100, "Maximum number of items in a bulk request."),
    Setting(
        "TRUSTED_PROXY",
        parse_network,
        "",
        "Address or network of the reverse proxy whose `X-Forwarded-*` headers are trusted.",
    ),
    Setting(
        "ACCESS_LOG",
        make_choice_parser("off", "text", "json"),
        "text",
        "Lines for requests in the [log](monitoring.md#logs) of `serve`: `text` or `off`; `json` also sets "
        "`LOG_FORMAT` to `json`.",
    ),
    Setting("LOG_FORMAT", make_choice_parser("text", "json"), "text", "Format of the log: `text` or `json`."),
    Setting(
        "LOG_LEVEL",
        make_choice_parser("debug", "info", "warning", "error"),
        "info",
        "Lowest level of all other lines in the log: `debug`, `info`, `warning` or `error`.",
    ),
    Setting(
        "FEED_CONTENT",
        make_choice_parser("full", "excerpt"),
        "full",
        "Content of articles in feeds: `full`, or only the `excerpt`.",
    ),
    Setting(
        "ADMIN_PAGES", parse_boolean, True, "Show the pages for writing and managing the blog at `/admin/`."
    ),
    Setting(
        "DOORS",
        parse_boolean,
        True,
        "Let admins open `/mcp` to [assistants](assistants.md); `false` keeps it closed.",
    ),
    Setting(
        "METRICS",
        parse_boolean,
        False,
        "Show [metrics](monitoring.md#metrics) for Prometheus to admins at `/metrics`.",
    ),
)

# Settings of earlier versions. A blog that sets a removed setting can start; the setting is ignored, and a
# line in the log says so. The minor version after `since` deletes the entry.
REMOVED_SETTINGS = {
    "UNREAD_MEGABYTES": RemovedSetting(
        since=(1, 1),
        reason="A response that its client does not read uses at most 1 MB of memory; a longer response is "
        "stored in a temporary file.",
    ),
}
