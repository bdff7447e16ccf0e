"""The languages that sources name, as they occur in fields, file names, folders, terms and tags."""

from __future__ import annotations

from blogapi.parsing import is_language_tag, normalize_language
from blogapi.rendering.slugs import make_slug

# The codes of ISO 639-1. Codes of three letters are not read, because words such as `css` would be codes.
_LANGUAGE_CODES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de "
    "dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id "
    "ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu "
    "lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu "
    "rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr "
    "ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
_KNOWN_CODES = frozenset(_LANGUAGE_CODES.split())


def read_language(text: str) -> str:
    """Return the language that a text such as `de`, `pt_BR` or `zh-cn` names, or ""."""
    tag = text.strip().replace("_", "-")
    is_known = is_language_tag(tag) and tag.partition("-")[0].casefold() in _KNOWN_CODES
    return normalize_language(tag) if is_known else ""


def add_language(slug: str, language: str) -> str:
    """Return the slug with the language appended, unless it already ends with the language."""
    suffix = f"-{language.lower()}"
    return slug if make_slug(slug).endswith(suffix) else f"{slug}{suffix}"
