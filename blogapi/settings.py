"""The list of all settings, each with its name, type, default and description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from blogapi.setting_types import (
    command,
    flag,
    hosts,
    media_types,
    network,
    number,
    one_of,
    origins,
    rate,
    rate_or_none,
    sender,
    text,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: its name, the parser of its value, its default, and a description of what it does."""

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
        text,
        "",
        "URL of the database. If empty, the database is `blog.db` in the instance folder.",
    ),
    Setting(
        "SECRET_KEY",
        text,
        "",
        "Key that signs session cookies. If empty, a key is created at the first start and stored.",
    ),
    Setting("KEY_CREATION", one_of("open", "users", "admins"), "open", "Who may create API keys."),
    Setting(
        "REQUEST_ADDRESS_LIMIT",
        rate_or_none,
        "",
        "Limit on requests per address. If empty, there is no limit.",
    ),
    Setting(
        "REQUEST_KEY_LIMIT", rate_or_none, "", "Limit on requests per API key. If empty, there is no limit."
    ),
    Setting("KEY_LIMIT", rate, "300 per minute; 1000 per hour", "Limit on new API keys per address."),
    Setting("LOGIN_ADDRESS_LIMIT", rate, "30 per minute", "Limit on failed logins per address."),
    Setting(
        "LOGIN_ACCOUNT_LIMIT",
        rate,
        "10 per minute; 50 per hour",
        "Limit on failed logins per address and account.",
    ),
    Setting(
        "LOGIN_STRANGERS_LIMIT",
        rate,
        "100 per minute; 1000 per hour",
        "Limit on failed logins per account, summed over all addresses that have not yet logged in to "
        "this account.",
    ),
    Setting(
        "SECOND_FACTOR_LIMIT",
        rate,
        "10 per minute; 100 per day",
        "Limit on wrong codes of a second factor per account, summed over all addresses.",
    ),
    Setting(
        "REQUIRE_SECOND_FACTOR",
        flag,
        False,
        "Require a second factor of admins: an admin without a second factor can do nothing but set one up. "
        "API keys are not affected.",
    ),
    Setting(
        "LIMITS_URL",
        text,
        "",
        "URL of a Redis server that stores the rate limit counters of all processes (`redis://…` or "
        "`rediss://…`). If empty, each process counts separately.",
    ),
    Setting(
        "WEBHOOK_HOSTS",
        hosts,
        (),
        "Hosts that webhooks may call even in a private network, and also with `http://`.",
    ),
    Setting(
        "SMTP_HOST",
        text,
        "",
        "Mail server that sends invitations and links for forgotten passwords. If `SMTP_HOST` or "
        "`SMTP_SENDER` is empty, the blog sends no e-mail.",
    ),
    Setting("SMTP_PORT", number(65_535), 587, "Port of the mail server: usually 587, or 465 for `tls`."),
    Setting(
        "SMTP_TLS",
        one_of("starttls", "tls", "none"),
        "starttls",
        "How the connection to the mail server is encrypted: after `STARTTLS`, with TLS from the start, or "
        "not at all (`none`).",
    ),
    Setting("SMTP_USER", text, "", "User name at the mail server. If empty, no password is sent."),
    Setting(
        "SMTP_PASSWORD",
        text,
        "",
        "Password at the mail server. Set it in the environment (`BLOGAPI_SMTP_PASSWORD`), because backups "
        "contain `config.toml`.",
    ),
    Setting(
        "SMTP_SENDER",
        sender,
        "",
        "Sender of e-mails, such as `My blog <blog@example.org>`.",
    ),
    Setting(
        "EMAIL_LIMIT",
        rate,
        "5 per hour",
        "Limit on requests for a link by e-mail (forgotten password) per account, and per address.",
    ),
    Setting("SESSION_DAYS", number(3650), 14, "Lifetime of a login, in days."),
    Setting(
        "CORS_ORIGINS", origins, (), "Origins whose pages may call the API from a browser; none by default."
    ),
    Setting("PUBLIC_READS", flag, False, "Let everyone read published content without an API key."),
    Setting(
        "SHARED_MAX_AGE",
        number(31_536_000, minimum=0),
        60,
        "How long a shared cache may keep responses that need no key (`s-maxage`), in seconds.",
    ),
    Setting(
        "STALE_WHILE_REVALIDATE",
        number(31_536_000, minimum=0),
        30,
        "How long after `SHARED_MAX_AGE` a shared cache may still send such a response while it gets a new "
        "one, in seconds.",
    ),
    Setting(
        "MAX_CONTENT_LENGTH", number(2**31 - 1), 16 * 1024 * 1024, "Maximum size of a request body, in bytes."
    ),
    Setting("REQUEST_SECONDS", number(3600), 10, "Maximum time for a request to arrive, in seconds."),
    Setting(
        "CACHE_MEGABYTES",
        number(65_536),
        64,
        "Maximum memory of the response cache, in megabytes.",
    ),
    Setting(
        "CACHE_STALENESS_MS",
        number(60_000, minimum=0),
        0,
        "On PostgreSQL, how long a server may send cached responses to requests without a key after another "
        "server has changed the database, in milliseconds.",
    ),
    Setting(
        "DAILY_BACKUPS",
        number(1000, minimum=0),
        0,
        "Number of daily backups that `serve` keeps in `backups` in the instance folder; 0 for no backups.",
    ),
    Setting(
        "BACKUP_COMMAND",
        command,
        (),
        "Command that runs after each backup, without a shell. The environment variable `BLOGAPI_BACKUP` "
        "contains the path of the backup. If the command fails, the backup counts as failed.",
    ),
    Setting(
        "REQUIRE_IF_MATCH",
        flag,
        False,
        "Refuse requests that change an existing item and have no `If-Match` header.",
    ),
    Setting("MAX_NAME", number(10_000), 100, "Maximum length of a category or tag name, in characters."),
    Setting("MAX_TITLE", number(10_000), 255, "Maximum length of a title or SEO title, in characters."),
    Setting("MAX_SUBTITLE", number(100_000), 500, "Maximum length of a subtitle, in characters."),
    Setting("MAX_EXCERPT", number(100_000), 10_000, "Maximum length of an excerpt, in characters."),
    Setting("MAX_URL", number(100_000), 2048, "Maximum length of a URL, in characters."),
    Setting(
        "MAX_CONTENT",
        number(2**30),
        2 * 1024 * 1024,
        "Maximum length of the content of an article, in characters.",
    ),
    Setting("MAX_TAGS", number(1000), 50, "Maximum number of tags of an article."),
    Setting("MAX_AUTHORS", number(1000), 50, "Maximum number of authors of an article."),
    Setting(
        "MEDIA_PATH",
        text,
        "",
        "Folder of the media files. If empty, it is `media` in the instance folder. Servers that "
        "share a database need the same folder.",
    ),
    Setting("MAX_MEDIA_SIZE", number(2**31 - 1), 25 * 1024 * 1024, "Maximum size of a media file, in bytes."),
    Setting(
        "MAX_IMPORT_SIZE",
        number(2**40),
        10**9,
        "Maximum size of a file that is uploaded for an import, in bytes.",
    ),
    Setting(
        "MEDIA_GIGABYTES",
        number(1_000_000),
        10,
        "Maximum size of all media files of the blog, in gigabytes; resized copies of pictures do not count.",
    ),
    Setting(
        "PICTURE_CACHE_MEGABYTES",
        number(1_000_000),
        1000,
        "Maximum size of all resized copies of pictures (`/media/<hash>/w640.webp`), in megabytes. Copies "
        "that were not requested for the longest time are deleted first, and are made again on request.",
    ),
    Setting(
        "PICTURE_LIMIT",
        rate,
        "120 per minute; 3000 per hour",
        "Limit on new resized copies of pictures per address without a login. Above the limit, the next "
        "larger copy that exists is sent, or the original.",
    ),
    Setting(
        "MEDIA_TYPES",
        media_types,
        (),
        "Further types of files that the media library accepts, each as `extension=type`, such as "
        "`epub=application/epub+zip`; they are served as downloads.",
    ),
    Setting(
        "BIN_DAYS",
        number(3650, minimum=0),
        30,
        "How long a deleted article or page and its edits can be restored, in days; 0 for not at all. Former "
        "versions of it are kept.",
    ),
    Setting("MAX_BULK", number(10_000), 100, "Maximum number of items in a bulk request."),
    Setting(
        "TRUSTED_PROXY",
        network,
        "",
        "Address or network of the reverse proxy whose `X-Forwarded-*` headers are trusted.",
    ),
    Setting(
        "ACCESS_LOG",
        one_of("off", "text", "json"),
        "text",
        "Lines for requests in the log of `serve`: `off` or `text`; `json` also sets `LOG_FORMAT` to `json`.",
    ),
    Setting(
        "LOG_FORMAT", one_of("text", "json"), "text", "Format of the log on standard error: `text` or `json`."
    ),
    Setting(
        "LOG_LEVEL",
        one_of("debug", "info", "warning", "error"),
        "info",
        "Lowest level of logged lines, except those for requests: `debug`, `info`, `warning` or `error`.",
    ),
    Setting(
        "FEED_CONTENT",
        one_of("full", "excerpt"),
        "full",
        "Content of each article in feeds: `full`, or only the `excerpt`.",
    ),
    Setting(
        "ADMIN_PAGES", flag, True, "Show the web pages at `/admin/` on which users write and manage the blog."
    ),
    Setting("METRICS", flag, False, "Show metrics for Prometheus to admins at `/metrics`."),
)

# Settings of earlier versions. A blog that sets one of them can start; the setting is ignored, with a line in
# the log. The minor version after `since` deletes the entry.
REMOVED_SETTINGS = {
    "UNREAD_MEGABYTES": RemovedSetting(
        since=(1, 0),
        reason="A response that its client does not read uses at most 1 MB of memory; a longer response is "
        "stored in a temporary file.",
    ),
}
