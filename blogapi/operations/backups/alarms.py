"""Reports an overdue backup to the admins by e-mail, and to the webhooks that have selected this notice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from flask import Flask

from blogapi import clock
from blogapi.accounts import mail
from blogapi.accounts.users.queries import list_admins
from blogapi.delivery.webhooks.event_types import BACKUP_FAILED
from blogapi.delivery.webhooks.service import send_notice
from blogapi.operations.backups.status import OVERDUE_AGE, BackupStatus
from blogapi.site.queries import get_site
from blogapi.storage.database import end_read

# The minimum time between two alarms.
_ALARM_INTERVAL = timedelta(days=1)

_HOURS = OVERDUE_AGE // timedelta(hours=1)

_MAIL_TEXT = """{title} has had no good backup for {hours} hours.

The last good backup: {last}
What went wrong: {reason}

The admin page Backups lists all backups. Run `doctor` on the server to check the disk and the folder.
"""


def send_alarm_if_due(app: Flask, status: BackupStatus) -> bool:
    """Send one alarm a day while a backup is overdue; return whether an e-mail or webhook call succeeded."""
    if not status.is_overdue(app.config["DAILY_BACKUPS"]):
        return False
    if status.last_alarm and -clock.TOLERANCE <= clock.now() - status.last_alarm < _ALARM_INTERVAL:
        return False
    app.logger.error("there has been no good backup for %d hours: %s", _HOURS, status.reason)
    with app.app_context():
        last = status.last_success.isoformat() if status.last_success else None
        notice = {"last_success": last, "reason": status.reason}
        return any([*_send_mails(app, status), *send_notice(BACKUP_FAILED, notice)])


def _send_mails(app: Flask, status: BackupStatus) -> Iterator[bool]:
    if not mail.is_mail_configured():
        return
    title = get_site().title or "A blog"
    last = status.last_success.strftime("%Y-%m-%d %H:%M UTC") if status.last_success else "none"
    text = _MAIL_TEXT.format(title=title, hours=_HOURS, last=last, reason=status.reason or "See the log.")
    addresses = [admin.email for admin in list_admins() if admin.email]
    # The mail server can be slow, so end the read transaction, which keeps a snapshot open.
    end_read()
    for address in addresses:
        try:
            mail.send_email(address, f"No good backup of {title}", text)
            yield True
        except mail.EmailNotSent as problem:
            app.logger.error("the e-mail about the overdue backup was not sent: %s", problem)
            yield False
