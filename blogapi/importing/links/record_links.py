"""Find the articles to which the links of a record lead.

The rules for an address, most certain first:

1. It is the path of a source file, relative to the file of the record or to an outer folder.
2. It is an address that the article had in its former blog.
3. Its query has the id of the article (`?p=12` of WordPress).
4. Its last segment is the slug, the former slug or the file name of an article, and each other segment fits
   the article: it is a part of the date, a folder, the category, a tag or a common word.

If several articles remain, the article in the same language and the nearest folder is used. If there is no
such article, the link stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile

from blogapi.importing.format_api.article_record import ArticleRecord
from blogapi.importing.links import addresses
from blogapi.importing.links.index import LinkIndex, TargetArticle
from blogapi.importing.texts.media_references import get_extension
from blogapi.rendering.media_types import TYPES_BY_EXTENSION
from blogapi.rendering.sanitizer import make_heading_id
from blogapi.rendering.slugs import make_slug

_MAX_FOLDER_DEPTH = 32
# The maximum number of links of one record that are looked up; further links stay unchanged.
_MAX_LINKS = 5_000
_ID_QUERY = re.compile(r"(?:^|&)(?:p|page_id|post_id)=([0-9]{1,20})(?:&|$)")


class RecordLinkFinder:
    """Finds the link targets of one record, which was added to the index; see `tag_markup.LinkFinder`."""

    def __init__(self, index: LinkIndex, record: ArticleRecord) -> None:
        self._index = index
        self._source = index.targets[record.key]
        self._linked: set[str] = set()
        self._lookup_count = 0

    def find_new_address(self, address: str) -> str | None:
        parsed = addresses.parse_address(address)
        if parsed is None or get_extension(parsed.path) in TYPES_BY_EXTENSION:
            return None
        if (parsed.host and not self._index.list_blog_paths(parsed.host)) or not self._count_lookup():
            return None
        match = _ID_QUERY.search(parsed.query)
        is_home = match and any(rest in ([], ["index.php"]) for rest in self._list_paths_in_blog(parsed))
        target = self._choose_nearest(self._index.find_targets("id", match[1])) if match and is_home else None
        if target is None and parsed.query:
            target = self._find_by_path(parsed, f"?{parsed.query}")
        if target is not None:
            return self._make_link_address(target, parsed.fragment)
        target = self._find_by_path(parsed)
        return self._make_link_address(target, parsed.fragment, parsed.query) if target else None

    def find_post_address(self, name: str) -> str | None:
        path, _, fragment = name.strip().partition("#")
        segments = addresses.split_path(path[: addresses.MAX_ADDRESS_LENGTH].replace("\\", "/"))
        if not segments:
            return self._make_link_address(self._source, fragment) if fragment else None
        if not self._count_lookup():
            return None
        relative = addresses.split_path(path, self._source.file.folders) if self._source.file else []
        paths = [relative] if path.startswith(".") else [relative, *self._list_outer_paths(segments)]
        target = self._find_by_file(paths) or self._find_by_name(segments)
        target = target or self._choose_nearest(self._index.find_targets("title", addresses.fold_case(path)))
        return self._make_link_address(target, fragment) if target else None

    def find_wiki_link_address(self, name: str) -> str | None:
        page, _, heading = name[: addresses.MAX_ADDRESS_LENGTH].strip().partition("#")
        heading = heading.rpartition("#")[2].strip()
        target = self._find_wiki_target(page.strip()) if page.strip() else self._source
        if target is None:
            return None
        # An id that begins with `^` names a paragraph, and only headings of Markdown get an id.
        has_id = heading and not heading.startswith("^") and target.is_markdown
        fragment = make_heading_id(heading) if has_id else ""
        if target is self._source and not page.strip():
            return f"#{fragment}" if fragment else None
        return self._make_link_address(target, fragment)

    def _count_lookup(self) -> bool:
        """Count a link that is looked up; return whether the record is within the limit."""
        self._lookup_count += 1
        return self._lookup_count <= _MAX_LINKS

    def _find_wiki_target(self, page: str) -> TargetArticle | None:
        segments = addresses.split_path(page)
        if not segments or get_extension(page) in TYPES_BY_EXTENSION or not self._count_lookup():
            return None
        file = addresses.parse_file_path(segments)
        if "/" in page:
            relative = addresses.split_path(page, self._source.file.folders) if self._source.file else []
            paths = [relative] if page.startswith(".") else [*self._list_outer_paths(segments), relative]
            if target := self._find_by_file(paths):
                return target
            in_folders = self._filter_targets(self._index.find_targets("name", file.name), file)
            tail = f"/{file.path}"
            below = [hit for hit in in_folders if hit.file and hit.file.path.endswith(tail)]
            return self._choose_nearest(below, file)
        title = addresses.fold_case(page)
        kinds = (("name", file.name), ("alias", title), ("title", title))
        candidates = (self._filter_targets(self._index.find_targets(kind, key), file) for kind, key in kinds)
        # Quartz writes names with hyphens. A slug is computed last, because it takes 0.1 ms.
        slugs = (make_slug(page, former=former) for former in (False, True))
        found = chain(candidates, (self._index.find_targets("name", slug) for slug in slugs))
        named = next(filter(None, found), ())
        return self._choose_nearest(named, file)

    def _find_by_path(self, address: addresses.LinkAddress, query: str = "") -> TargetArticle | None:
        """Return the article at a path; with a query, only an article whose former address has this query."""
        path = address.path
        if not (path or address.host) or path.count("/") > _MAX_FOLDER_DEPTH:
            return None
        if address.host or path.startswith(("/", "@/")):
            listed = self._list_paths_in_blog(address)
            pages = [it[:-1] if it[1:] and addresses.VIEW_SEGMENT.fullmatch(it[-1]) else it for it in listed]
            files = [outer for page in pages for outer in self._list_outer_paths(page)]
        else:
            pages, files = self._resolve_relative_path(path)
        keys = (addresses.normalize_page_path(page) + query for page in pages if page)
        by_page = self._choose_nearest(
            next(filter(None, (self._index.find_targets("page", key) for key in keys)), ())
        )
        if query:
            return by_page
        # A path with the suffix of a source file is not the address of a page.
        is_source = addresses.parse_file_path([addresses.fold_case(path)]).is_source
        by_file = self._find_by_file(files) or by_page if is_source else by_page or self._find_by_file(files)
        return by_file or next(filter(None, map(self._find_by_name, pages)), None)

    def _resolve_relative_path(self, path: str) -> tuple[list[list[str]], list[list[str]]]:
        """Return the pages and the files to which a relative path can lead, most likely first."""
        file, page = self._source.file, self._source.page
        if page is not None:
            base = addresses.split_path(page if page.endswith("/") else page.rpartition("/")[0])
            pages = [addresses.split_path(path, base)]
        else:
            pages = [addresses.split_path(path, (*file.folders, file.name))] if file else []
        if file is None:
            return pages, []
        first, *below_root = addresses.split_path(self._source.key)
        if page is None and addresses.parse_file_path(below_root or [""]).path == "index":
            # The home page of the imported folder had the address `/`.
            pages.append(addresses.split_path(path))
        folders = [first, *below_root][:-1]
        beside = addresses.split_path(path, folders)
        # Without a suffix, the path is relative to the page, whose address ends with a slash.
        is_file = bool(beside) and beside[-1] != addresses.parse_file_path(beside).name
        below = addresses.split_path(path, (*file.folders, file.name))
        return ([*pages, beside] if is_file else pages), ([beside, below] if is_file else [below, beside])

    def _list_paths_in_blog(self, address: addresses.LinkAddress) -> Iterator[list[str]]:
        """Yield the segments of a path in the former blog: all segments, and those after the blog's path."""
        path = address.path.removeprefix("@")
        segments = addresses.split_path(path)
        prefixes = self._index.list_blog_paths(address.host)
        if not address.host or any(segments[: len(prefix)] == prefix for prefix in prefixes):
            yield segments
        for prefix in prefixes:
            if prefix and segments[: len(prefix)] == prefix:
                yield segments[len(prefix) :]

    def _list_outer_paths(self, segments: Sequence[str]) -> Iterator[list[str]]:
        """Yield the path below each of the outer folders of the record, outermost first."""
        folders = addresses.split_path(self._source.key)[:-1][:_MAX_FOLDER_DEPTH] if self._source.file else []
        # An address without segments belongs to the home page, not to a folder.
        for count in range(len(folders) + 1 if segments else 0):
            yield [*folders[:count], *segments]

    def _find_by_file(self, paths: Iterable[Sequence[str]]) -> TargetArticle | None:
        for segments in paths:
            if not segments:
                continue
            file = addresses.parse_file_path(segments)
            targets = self._filter_targets(self._index.find_targets("path", file.path), file)
            if targets:
                return self._choose_nearest(targets, file, segments[-1])
        return None

    def _find_by_name(self, segments: Sequence[str]) -> TargetArticle | None:
        if not segments:
            return None
        file = addresses.parse_file_path(segments)
        for name in dict.fromkeys((file.name, segments[-1])):
            if not name or name.isdigit():
                continue
            is_parsed_name = name == file.name
            folders = file.folders if is_parsed_name else segments[:-1]
            named = self._index.find_targets("name", name)
            selected = self._filter_targets(named, file) if is_parsed_name else named
            targets = [hit for hit in selected if hit.fits_segments(folders, has_date=file.date is not None)]
            if targets:
                return self._choose_nearest(targets, file, segments[-1])
        return None

    def _filter_targets(
        self, targets: Iterable[TargetArticle], file: addresses.FilePath
    ) -> list[TargetArticle]:
        return [
            target
            for target in targets
            if (file.date is None or target.has_date(file.date)) and file.language in ("", target.language)
        ]

    def _choose_nearest(
        self, targets: Sequence[TargetArticle], file: addresses.FilePath | None = None, file_name: str = ""
    ) -> TargetArticle | None:
        """Return the best article by language, file name, blog and folders; None if two are equally good."""
        if len(targets) < 2:
            return targets[0] if targets else None
        source = self._source
        language = (file and file.language) or source.language
        folders = addresses.split_path(source.key)[:-1]

        def rank_target(target: TargetArticle) -> tuple[int, ...]:
            inner = addresses.split_path(target.key)[:-1]
            return (
                target.language == language,
                target.file_name == file_name,
                target.blog == source.blog,
                inner == folders,
                sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(inner, folders, strict=False))),
                -len(inner),
            )

        ranked = sorted(((rank_target(target), target) for target in targets), key=lambda pair: pair[0])
        return ranked[-1][1] if ranked[-1][0] > ranked[-2][0] else None

    def _make_link_address(self, target: TargetArticle, fragment: str, query: str = "") -> str | None:
        """Return the address of an article, and add the record to the article's `sources`."""
        address = self._index.make_address(target) if target.is_visible_from(self._source) else None
        if address is None:
            return None
        if target.key not in self._linked:
            self._linked.add(target.key)
            target.sources.append(self._source.key)
        if query:
            address += ("&" if "?" in address else "?") + addresses.escape_unsafe_characters(query)
        return f"{address}#{addresses.escape_unsafe_characters(fragment)}" if fragment else address
