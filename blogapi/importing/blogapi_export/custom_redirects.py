"""Store the custom redirects of an export."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from blogapi.delivery.redirects.custom import service
from blogapi.delivery.redirects.custom.schemas import CustomRedirectBodySchema
from blogapi.delivery.redirects.custom.service import GONE
from blogapi.delivery.redirects.queries import CUSTOM
from blogapi.importing.blogapi_export.blog_data import BlogData
from blogapi.importing.blogapi_export.restoring import Restored
from blogapi.importing.blogapi_export.values import Values, get_required_text, get_text
from blogapi.importing.format_api.report import FileReport
from blogapi.importing.storing.state import REFUSALS, ImportState, report_refusal
from blogapi.importing.texts.lines import to_line
from blogapi.storage.database import end_read
from blogapi.web.fields import Fields

_SCHEMA = CustomRedirectBodySchema()


def restore_redirects(
    data: BlogData, key: str, state: ImportState, restored: Restored
) -> Iterator[FileReport]:
    """Store the custom redirects with new paths, if an admin imports; yield a report for each refusal."""
    rows = [redirect for redirect in data.redirects if redirect.get("kind") == CUSTOM]
    if rows and not state.is_admin():
        restored.notes.append("The redirects were not stored, because only admins set redirects.")
        rows = []
    wanted: list[Fields] = []
    for redirect in rows:
        try:
            fields: Fields = _SCHEMA.load(_make_body(redirect))
            if service.find_by_path(fields["path"]) is None:
                wanted.append(fields)
        except REFUSALS as error:
            yield report_refusal(f"{key}/redirects{to_line(redirect.get('from'))[:100]}", error)
    end_read()
    if state.dry_run:
        restored.counts["redirects"] += len(wanted)
        return
    try:
        restored.counts["redirects"] += service.create_or_replace(wanted)[0]
    except REFUSALS:
        # Store them one by one: a redirect that makes a loop must not prevent the others.
        for fields in wanted:
            try:
                restored.counts["redirects"] += service.create_or_replace([fields])[0]
            except REFUSALS as error:
                yield report_refusal(f"{key}/redirects{fields['path'][:100]}", error)


def _make_body(row: Values) -> Fields:
    """Return the body of a redirect with its status as a number; the parser of YAML returns only texts."""
    status = get_text(row, "status")
    path = get_required_text(row, "from", "/old/")
    target = get_text(row, "to") if status == str(GONE) else get_required_text(row, "to", "/new/")
    body: Fields = {"path": quote(path), "target": target}
    return body | ({"status": int(status) if status.isdecimal() else 0} if status else {})
