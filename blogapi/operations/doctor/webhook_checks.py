"""The check for webhooks that were paused automatically, or whose calls fail or wait."""

from __future__ import annotations

from collections.abc import Iterator

from blogapi.delivery.webhooks import queries
from blogapi.delivery.webhooks.models import PauseReason
from blogapi.operations.doctor.findings import Advice, Finding, Level, format_count, make_ok_finding

_ADMIN_PAGE = "/admin/webhooks/"
_PAUSE_REASONS = {
    PauseReason.FAILURES: "No answer for 3 days.",
    PauseReason.GONE: "The receiver answered 410: it is gone permanently.",
    PauseReason.COPIED: "This blog is a copy. Resume the webhooks that it may call.",
}


def list_advice() -> Iterator[Advice]:
    """Yield advice about the webhooks with problems, for admins in a browser."""
    delayed = queries.list_overdue_webhook_ids()
    for webhook in queries.list_webhooks(None).rows:
        reason = _PAUSE_REASONS.get(webhook.paused)
        waiting = format_count(webhook.waiting, "change")
        if reason is not None:
            level = Level.HINT if webhook.paused == PauseReason.COPIED else Level.WRONG
            verb = "waits" if webhook.waiting == 1 else "wait"
            detail = f"{reason} {waiting} {verb} for it."
            yield Advice("webhooks", level, f"“{webhook.name}” is paused", detail, _ADMIN_PAGE)
        elif webhook.uuid in delayed:
            detail = f"{waiting} not reported for five minutes. See the log of the service."
            yield Advice("webhooks", Level.WRONG, f"The calls of “{webhook.name}” wait", detail, _ADMIN_PAGE)
        elif webhook.active and webhook.failures:
            detail = f"The webhook is called again automatically. {waiting} not reported yet."
            yield Advice("webhooks", Level.HINT, f"The calls of “{webhook.name}” fail", detail, _ADMIN_PAGE)


def run_checks() -> Iterator[Finding]:
    """Yield findings about the webhooks, for the command `doctor`."""
    problems = list(list_advice())
    for problem in problems:
        remedy = "see its calls with `webhook log`; if it is paused, resume it on the admin page Webhooks"
        yield Finding(problem.check, problem.level, f"{problem.title}. {problem.detail}", remedy)
    if not problems:
        yield make_ok_finding("webhooks", "All webhooks are called.")
