"""The words about members, payment, login, roles or hiding by which an import recognises hidden texts.

A shortcode, block, component, container, template tag, attribute, custom field, key of front matter, folder
or comment without a known sign can hide a text if its name has one of these words. Such a name is a guess: it
makes the article a draft, unless `--publish-marked` names the guess.
"""

from __future__ import annotations

import re
from functools import lru_cache

from blogapi.importing.texts.lines import BOOLEAN_WORDS, normalize_key


def _make_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRUE = frozenset(word for word, meaning in BOOLEAN_WORDS.items() if meaning)
FALSE = frozenset(BOOLEAN_WORDS) - TRUE
# --- Words in several languages for texts that are not finished, or that are not for everyone.
DRAFT_WORDS = _make_set("""draft brouillon entwurf borrador bozza rascunho concept kladde szkic koncept
    luonnos utkast udkast piszkozat taslak draf черновик чернетка чорновик 草稿 下書き 초안 مسودة טיוטה""")
UNFINISHED_WORDS = DRAFT_WORDS | _make_set(
    "wip unpublish unpublished embargoed unfinished unveröffentlicht nonpublié inédit unbuilt trash"
)
PUBLISHED_WORDS = _make_set("""published publié publie veröffentlicht veroeffentlicht publicado publicada
    pubblicato gepubliceerd opublikowane opublikowano publicerad udgivet publisert julkaistu
    zveřejněno közzétéve yayınlandı diterbitkan опубликовано опубліковано 公開 发布 已发布 發布 게시됨 공개
    منشور פורסם""")  # noqa: RUF001
PRIVATE_WORDS = _make_set("""private privat privé prive privado privada privato prywatne prywatny privát
    özel pribadi приватно приватный личное 非公開 私密 私有 비공개 خاص פרטי hidden masqué caché versteckt
    verborgen oculto nascosto verborgenes ukryty ukryte dold skjult piilotettu skrytý rejtett
    gizli скрыто скрытый приховано 隐藏 隱藏 숨김 secret confidential internal geheim vertraulich
    confidentiel confidencial riservato""")
MEMBER_WORDS = _make_set("""member membre mitglied mitglieder membres miembros miembro membro socio
    socios lid leden członek członkowie medlem jäsen člen tag üye anggota участник участники 会员
    會員 会員 회원 subscriber abonné abonnent suscriptor assinante abbonato abonnee подписчик 订阅者""")
ALL_FALSE_WORDS = FALSE | _make_set("non nein nie nej ne ei hayır tidak нет ні いいえ 否 아니요 não não")  # noqa: RUF001
ALL_TRUE_WORDS = TRUE | _make_set("oui ja sí si sim sì tak ano kyllä igen evet ya да так はい 是 예")

#: Values of fields, as normalized keys, that name the only readers of a text.
AUDIENCES = frozenset(
    f"{reader}{only}"
    for only in ("", "only")
    for reader in _make_set("""member members subscriber subscribers patron patrons vip staff
    internal paid premium private paidmembers paidsubscribers registered admin admins loggedin
    onlypaid onlyfree founding""")
)
#: Words for paying readers. Only in a few fields do these words name the readers of a text, not its subject.
SUPPORTERS = _make_set("supporter supporters backer backers donor donors sponsor sponsors")
HIDING_VALUES = (
    AUDIENCES - {"staff", "admin", "admins", "premium", "vip", "patron", "patrons", "registered", "founding"}
    | MEMBER_WORDS
    | DRAFT_WORDS
    | PRIVATE_WORDS
    | _make_set("""confidential internal hidden loggedin signedin authenticated loggedinusers registeredusers
    userrole unpublished payingmembers payingsubscribers subscribersonly memberonly administrator trash""")
) - {"tag"}
#: The values of fields that show a text to all visitors.
SHOWN_VALUES = (
    FALSE
    | _make_set("""none null public everyone everybody all anyone open visible alwaysshow always
    free default loggedout guests visitors""")
    | {"", "[]", "{}"}
)

# --- Words in names.

# A name with one of these words, or with its plural, hides a text.
_STRONG_WORDS = _make_set("""member membership memberonly logged loggedin signedin signed private paid
    premium secret hide hidden locked locker exclusive patron drip mepr registered auth
    authenticated login vip lock gate gated gating paywall pay purchase purchased purchaser
    buyer donor supporter backer sponsor entitled entitlement enrolled secure secured
    confidential classified monetize monetized paying payer""")
# These words have other meanings too. They hide a text only beside words of _NEIGHBOUR_WORDS, such as "only".
_WEAK_WORDS = _make_set("""visitor access role capability staff rank group tier plan level can only if
    guest customer client internal""")
_STRONG_STEMS = ("subscri", "restrict", "protect", "password", "paywall", "unlock", "contentlock", "linklock")
_STRONG_PART = re.compile("autohide|r[ei]hide|(?:pay|auth|login|reg|members?)wall|(?:content|age|pay)gate")
# Matches compounds such as `membersarea`, `paidcontent` and `viponly`.
_COMPOUND_WORD = re.compile(
    rf"(?:{'|'.join(sorted(_STRONG_WORDS - {'pay', 'hide', 'auth', 'lock', 'gate'}, key=len, reverse=True))})"
    "s?(?:only|in|area|content|zone|section|hide|lock|gate|wall)"
)
# A weak word, and in a key also a strong word, hides a text only beside these words.
_NEIGHBOUR_WORDS = _make_set("""post page article content text site blog entry item is has have for only
    access required require requires level plan tier status state visibility enabled from
    visitor visitors allowed allow user users show to any must be this wp if can in view read
    reader readers who account type role min minimum needs need nur solo seulement pour für para""")
_CONDITION_WORDS = _make_set(
    "min minimum needs need required require requires allowed allow only for access has must"
)
# Words for parts of a page or of a list, which a key can hide.
_PAGE_PART_WORDS = _make_set("""title toc table contents meta sidebar header footer nav navigation menu
    comment comments image thumbnail cover featured feed rss search home list listing button
    form repo note notes hero summary date author upcoming sitemap index subtitle breadcrumb
    breadcrumbs share social related banner hint label email mail newsletter related tag tags
    category categories logo icon link links url color style topic topics keyword keywords alias
    aliases series description excerpt alt caption placeholder class aria data name subscribe""")
_OTHER_KEYS = {"layout", "template", "section", "slug", "key", "id"}
# A name hides nothing if it has a word of _OTHER_USE_WORDS, or a negation without a word for visitors.
_NEGATION_WORDS = _make_set("not non out nologin without un")
_VISITOR_WORDS = _make_set("hide hidden visitor")
_OTHER_USE_WORDS = _make_set("""form button email directory newsletter mobile lightbox timeline team
    guest guests upgrade""")
# `email_gate` and `newsletter_locker` hide a text until the reader gives an address.
_LOCK_WORDS, _MAIL_WORDS = _make_set("gate gated lock locker locked unlock"), _make_set("email newsletter")
_KEY_FILLER_WORDS = _make_set("is not post page article entry content site from on web this has was")
_AUDIENCE_ATTRIBUTES = _make_set("when for if visibility access audience role roles")
_ATTRIBUTE = re.compile(r"([\w-]{1,40}) *= *\{?[\"']([^\"'<>]{1,40})[\"']")
_CAMEL_CASE_BORDER = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\W_\d]+")


@lru_cache(maxsize=4096)
def split_name(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: `hideFrom_visitors2` gives hide, from, visitors."""
    return tuple(filter(None, _SEPARATORS.split(_CAMEL_CASE_BORDER.sub("_", name).lower())))


def _is_strong_word(word: str) -> bool:
    return (
        word in _STRONG_WORDS
        or word.removesuffix("s") in _STRONG_WORDS
        or word in MEMBER_WORDS - {"tag"}
        or any(stem in word for stem in _STRONG_STEMS)
        or _STRONG_PART.search(word) is not None
        or _COMPOUND_WORD.fullmatch(word) is not None
    )


def _is_weak_word(word: str) -> bool:
    return word in _WEAK_WORDS or word.removesuffix("s") in _WEAK_WORDS


def has_other_use(name: str) -> bool:
    """Return whether other words of a name, such as `form` or `not`, say that it hides nothing."""
    words = set(split_name(name))
    if words & _LOCK_WORDS:
        words -= _MAIL_WORDS
    return bool(words & _OTHER_USE_WORDS or (words & _NEGATION_WORDS and not words & _VISITOR_WORDS))


@lru_cache(maxsize=4096)
def is_hiding_name(name: str) -> bool:
    """Return whether the name of a shortcode, block, component, container or tag has a word for hiding."""
    words = set(split_name(name))
    if has_other_use(name):
        return False
    if any(map(_is_strong_word, words)) or words & (DRAFT_WORDS | {"unpublished", "wip"}):
        return True
    weak = {word for word in words if _is_weak_word(word)}
    return len(words) > 1 and bool(weak) and words - weak <= _NEIGHBOUR_WORDS and bool(words - {"if", "can"})


def has_hiding_attribute(attributes: str) -> bool:
    """Return whether the attributes of a component name its readers: `when="signed-in"` (Clerk)."""
    return any(
        name.lower() in _AUDIENCE_ATTRIBUTES and normalize_key(value.strip()) in HIDING_VALUES
        for name, value in _ATTRIBUTE.findall(attributes)
    )


def is_paywall_name(name: str) -> bool:
    """Return whether an element with this name hides the text after it, as a `paywall` does."""
    return any(word.endswith("wall") and _is_strong_word(word) for word in split_name(name))


@lru_cache(maxsize=4096)
def is_hiding_key(name: str) -> bool:
    """Return whether the name of a key, custom field or attribute has a word for hiding and no other use."""
    words = set(split_name(name))
    if words & _PAGE_PART_WORDS or has_other_use(name) or len(words) < 2:
        return False
    hiding = {word for word in words if _is_strong_word(word) or _is_weak_word(word)}
    # Weak words can name a condition: `required_plan`, `allowedRoles`, `staff_only`.
    weak = {word for word in words if _is_weak_word(word)} - {"only", "if", "can", "access"}
    has_condition = bool(weak and words & _CONDITION_WORDS) and words <= weak | _NEIGHBOUR_WORDS
    return has_condition or (words - hiding <= _NEIGHBOUR_WORDS and any(map(_is_strong_word, words)))


def is_hiding_entry(name: str, value: str) -> bool:
    """Return whether a key that has no FieldRule hides a text; `value` is normalized, "" = empty."""
    words = set(split_name(name))
    if words & _PAGE_PART_WORDS or value in SHOWN_VALUES or value in ALL_FALSE_WORDS:
        return False
    if value in HIDING_VALUES and not (words & _OTHER_KEYS or words == {"type"}):
        return True
    if len(words) == 1 and value in ALL_TRUE_WORDS:
        word = next(iter(words))
        return _is_strong_word(word) or word in UNFINISHED_WORDS | PRIVATE_WORDS
    if value in ALL_TRUE_WORDS and words & UNFINISHED_WORDS and words - UNFINISHED_WORDS <= _NEIGHBOUR_WORDS:
        return True
    if value.isdecimal() and words & {"level", "levels"} and not any(map(_is_strong_word, words)):
        return False
    return is_hiding_key(name)


def names_page_part(name: str) -> bool:
    """Return whether a key names a part of a page or of a list: `hide_title`, `sidebar_visibility`."""
    return not _PAGE_PART_WORDS.isdisjoint(split_name(name))


def remove_filler_words(name: str) -> tuple[str, bool]:
    """Return a normalized key without words such as `is` and `post`, and whether the key contains `not`."""
    words = split_name(name)
    return "".join(word for word in words if word not in _KEY_FILLER_WORDS), "not" in words


# --- Folders, files and comments.

_HIDING_FOLDER_WORDS = (
    UNFINISHED_WORDS
    | PRIVATE_WORDS
    | {f"{word}s" for word in DRAFT_WORDS}
    | _make_set(
        """entwürfe borradores brouillons bozze rascunhos szkice черновики members subscribers premium
        paid deleted"""
    )
)
_FOLDER_NEIGHBOURS = _make_set("""notes note posts post articles article pages page ideas texts
    text files content stuff only my old blog entries stories work in progress for""")
_DRAFT_NAMES = "|".join(sorted(DRAFT_WORDS | {"wip", "unpublished"}))
#: Matches the name of a file that begins with `draft-`, or ends with `.draft` before its suffix.
DRAFT_FILE = re.compile(rf"(?:{_DRAFT_NAMES})[-_. ]|.*[-_. ](?:{_DRAFT_NAMES})\.[^.]+\Z", re.IGNORECASE)
_COMMENT_WORDS = AUDIENCES | MEMBER_WORDS | PRIVATE_WORDS | _make_set("paywall content only for start begin")
_COMMENT_FILLER_WORDS = _make_set("content only for start begin free text part")


def is_hiding_folder(name: str) -> bool:
    """Return whether the name of a folder has a word for hidden texts and only neutral words besides."""
    words = [word for word in re.split(r"[-_ \d]", name.casefold()) if word]
    hiding = [word for word in words if word in _HIDING_FOLDER_WORDS]
    if words == ["work", "in", "progress"]:
        return True
    return bool(hiding) and {*words} - {*hiding} <= _FOLDER_NEIGHBOURS


def is_hiding_comment(text: str) -> bool:
    """Return whether a comment only names the readers of a text: `members`, `paid content`."""
    words = {*re.split(r"[\s:_-]+", text.strip().casefold())}
    return words <= _COMMENT_WORDS and bool(words - _COMMENT_FILLER_WORDS)
