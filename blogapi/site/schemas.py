"""Request and response bodies of the site."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlsplit

import marshmallow as ma

from blogapi.settings import encode_host
from blogapi.site.addresses import (
    ARTICLE_PLACEHOLDERS,
    PAGE_PLACEHOLDERS,
    TERM_PLACEHOLDERS,
    find_path_pattern_mistakes,
    list_time_zones,
)
from blogapi.site.head_schemas import HEAD_PAGE_FIELD, HeadSchema
from blogapi.web.fields import (
    BoundedList,
    Fields,
    Identifier,
    InputSchema,
    Language,
    OmitNullMixin,
    OutputSchema,
    StrictBoolean,
    Text,
    Timestamp,
    WebAddress,
)
from blogapi.web.media_addresses import PictureAddress, PictureReference
from blogapi.web.pagination import DetailQuery

MAX_NAVIGATION_ITEMS = 100
MAX_LANGUAGES = 100

_MCP_DESCRIPTION = "Whether assistants may call the blog at `/mcp`, with an API key."
_BUILT_IN_DESCRIPTION = "Whether blogapi itself shows the blog to readers, at `url`."


class TimeZone(Text):
    """The name of a time zone of the IANA database, such as `Europe/Berlin`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        name = super()._deserialize(value, attr, data, **options)
        if name not in list_time_zones():
            raise ma.ValidationError(
                "Must be the name of a time zone of the IANA database, such as Europe/Berlin."
            )
        return name


class PublicAddress(WebAddress):
    """An empty string, or an absolute http(s) URL, which is stored in ASCII and without a trailing slash."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        address = super()._deserialize(value, attr, data, **options)
        if not address:
            return ""
        try:
            return _normalize_address(address)
        except ValueError as error:
            raise ma.ValidationError(
                "Must be an absolute http(s) URL without credentials, query and fragment."
            ) from error


def _normalize_address(address: str) -> str:
    parts = urlsplit(address)
    is_ip_v6 = ":" in (parts.hostname or "")
    host = encode_host(f"[{parts.hostname}]" if is_ip_v6 else parts.hostname or "")
    if not parts.scheme or not host or "?" in address or "#" in address:
        raise ValueError(address)
    port = f":{parts.port}" if parts.port is not None else ""
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~").rstrip("/")
    return f"{parts.scheme}://{host}{port}{path}"


class PathPattern(Text):
    """The pattern of the path of pages, with placeholders such as `{slug}`."""

    def __init__(self, placeholders: tuple[str, ...], *, example: str) -> None:
        self.placeholders = placeholders
        names = ", ".join(f"`{{{name}}}`" for name in placeholders)
        description = f"Pattern of the path below `url`, with the placeholders {names}."
        super().__init__(max_length=255, metadata={"description": description, "example": example})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **options: Any) -> str:
        pattern = super()._deserialize(value, attr, data, **options)
        if problems := find_path_pattern_mistakes(pattern, self.placeholders):
            raise ma.ValidationError(problems)
        return pattern


class NavigationItemSchema(InputSchema):
    """An entry of the navigation."""

    label = Text(max_length="MAX_NAME", required=True, metadata={"example": "About"})
    url = WebAddress(required=True, metadata={"example": "/about/"})


class SiteLanguageSchema(InputSchema):
    """The title and the description of the site in another language."""

    language = Language(required=True, metadata={"example": "de"})
    title = Text(max_length="MAX_TITLE", metadata={"example": "Das Brotblog"})
    description = Text(max_length=10_000)

    @ma.post_load
    def add_empty_texts(self, data: Fields, **_: Any) -> Fields:
        """Return the fields, with empty texts for omitted fields."""
        return {"title": "", "description": "", **data}


class SiteSchema(OmitNullMixin, OutputSchema):
    """The site; a text that is not set is empty."""

    omitted_if_null = frozenset({"built_in", "mcp"})

    uuid = Identifier()
    title = ma.fields.String(metadata={"example": "The Bread Blog"})
    description = ma.fields.String()
    language = ma.fields.String(metadata={"description": "A language tag (BCP 47).", "example": "en"})
    time_zone = ma.fields.String(
        metadata={"description": "A name of the IANA database.", "example": "Europe/Berlin"}
    )
    url = ma.fields.String(
        metadata={
            "description": "The public address of the site that shows the blog, without a trailing slash.",
            "example": "https://blog.example",
        }
    )
    service_url = ma.fields.String(
        metadata={
            "description": "The public address of this service, without a trailing slash.",
            "example": "https://api.blog.example",
        }
    )
    logo = PictureAddress()
    icon = PictureAddress()
    article_path = ma.fields.String(metadata={"example": "/{year}/{slug}/"})
    page_path = ma.fields.String(metadata={"example": "/{path}/"})
    category_path = ma.fields.String(metadata={"example": "/category/{slug}/"})
    tag_path = ma.fields.String(metadata={"example": "/tag/{slug}/"})
    author_path = ma.fields.String(metadata={"example": "/author/{slug}/"})
    preview_url = ma.fields.String(
        metadata={"description": "The page that shows previews: an absolute URL, or one relative to `url`."}
    )
    navigation = ma.fields.List(ma.fields.Nested(NavigationItemSchema), attribute="navigation_items")
    languages = ma.fields.List(
        ma.fields.Nested(SiteLanguageSchema),
        attribute="other_languages",
        metadata={
            "description": "The other languages of the blog, each with the title and the description of the "
            "site in this language."
        },
    )
    built_in = ma.fields.Boolean(
        metadata={"description": f"{_BUILT_IN_DESCRIPTION} Only admins see this field."}
    )
    mcp = ma.fields.Boolean(metadata={"description": f"{_MCP_DESCRIPTION} Only admins see this field."})
    created = Timestamp(aware=True, dump_only=True)
    last_updated = Timestamp(aware=True, dump_only=True)


class SiteFieldsSchema(SiteSchema):
    """The site with the requested fields."""

    logo_width = ma.fields.Integer(
        allow_none=True,
        metadata={
            "description": "Width in pixels; null unless the logo is in the media library.",
            "example": 400,
        },
    )
    logo_height = ma.fields.Integer(allow_none=True, metadata={"example": 100})
    head = ma.fields.Nested(HeadSchema, metadata={"description": "The head of the home page."})


class SiteQuery(DetailQuery):
    """The query parameters of a request for the site."""

    language = Language(
        metadata={"description": "Describe the site in this language (BCP 47).", "example": "de"}
    )
    page = HEAD_PAGE_FIELD


def _check_languages_are_unique(languages: list[Fields]) -> None:
    tags = [item["language"] for item in languages]
    if len(set(tags)) < len(tags):
        raise ma.ValidationError("A language appears twice; send each language only once.")


class SiteChangesSchema(InputSchema):
    """The fields of the site that a client changes; an empty text unsets a field that may be empty."""

    read_only = frozenset({"uuid", "created", "last_updated"})

    title = Text(max_length="MAX_TITLE", metadata={"example": "The Bread Blog"})
    description = Text(max_length=10_000)
    language = Language(metadata={"example": "en"})
    time_zone = TimeZone(max_length=64, metadata={"example": "Europe/Berlin"})
    url = PublicAddress(metadata={"example": "https://blog.example"})
    service_url = PublicAddress(metadata={"example": "https://api.blog.example"})
    logo = PictureReference()
    icon = PictureReference()
    article_path = PathPattern(ARTICLE_PLACEHOLDERS, example="/{year}/{slug}/")
    page_path = PathPattern(PAGE_PLACEHOLDERS, example="/{path}/")
    category_path = PathPattern(TERM_PLACEHOLDERS, example="/category/{slug}/")
    tag_path = PathPattern(TERM_PLACEHOLDERS, example="/tag/{slug}/")
    author_path = PathPattern(TERM_PLACEHOLDERS, example="/author/{slug}/")
    preview_url = WebAddress()
    navigation = BoundedList(
        ma.fields.Nested(NavigationItemSchema), max_items=MAX_NAVIGATION_ITEMS, attribute="navigation_items"
    )
    languages = BoundedList(
        ma.fields.Nested(SiteLanguageSchema),
        max_items=MAX_LANGUAGES,
        attribute="other_languages",
        validate=_check_languages_are_unique,
    )
    built_in = StrictBoolean(metadata={"description": _BUILT_IN_DESCRIPTION})
    mcp = StrictBoolean(metadata={"description": _MCP_DESCRIPTION})
