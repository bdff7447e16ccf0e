"""Sends one-time links by e-mail, for invitations and forgotten passwords."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Any

from blogapi.accounts import mail
from blogapi.accounts.users import links, queries
from blogapi.accounts.users.models import Account
from blogapi.site.queries import get_service_url, get_site
from blogapi.storage.database import end_read
from blogapi.web.blueprint import add_a_or_an
from blogapi.web.errors import Invalid
from blogapi.web.fields import WithAttributes

MAX_PARALLEL_MAILS = 2

_INVITATION_TEXT = """Hello {name},

you are invited to {title} as {role}.

Open this link to choose a user name and a password. It works once, until {expires}:

{url}

If you do not expect this invitation, ignore this e-mail.
"""

_RESET_TEXT = """Hello {name},

use this link to set a new password at {title}. It works once, until {expires}:

{url}

If you have not asked for this link, ignore this e-mail; your password does not change.
"""

# Limits how many requests send an e-mail at the same time, because each such request occupies a thread.
_sending_slots = threading.BoundedSemaphore(MAX_PARALLEL_MAILS)


def can_send_links() -> bool:
    """Return whether the settings name a mail server and the public address of the service is known."""
    return mail.is_mail_configured() and bool(get_service_url())


def send_invitation(link: Any) -> WithAttributes:
    """Send an invitation to its e-mail address, and return the invitation with `sent` and `problem`.

    `sent` is whether the e-mail was sent; if not, `problem` is the reason.
    """
    subject = "Invitation to {title}"
    values = {"name": link.name, "role": add_a_or_an(link.role)}
    return _email_link(link, link.email, subject, _INVITATION_TEXT, values)


def send_reset_link(account: Account, link: Any) -> WithAttributes:
    """Send a reset link to the user; return the link with `sent` and `problem`."""
    values = {"name": account.username}
    return _email_link(link, account.email, "New password for {title}", _RESET_TEXT, values)


def create_and_send_reset_link(username: str) -> None:
    """Create a reset link for the user with this name and send it, if the user has an e-mail address.

    Raises EmailNotSent if the mail server does not accept the e-mail.
    """
    try:
        account = queries.find_user_by_name(username)
    except Invalid:
        return
    if account is not None and account.email and not account.disabled:
        address, name = account.email, account.username
        link = links.create_reset_link(account.uuid)
        _send_link(link, address, "New password for {title}", _RESET_TEXT, {"name": name})


def _email_link(link: Any, address: str, subject: str, text: str, values: dict[str, str]) -> WithAttributes:
    problem = ""
    if not can_send_links():
        problem = "This blog sends no e-mail; set SMTP_HOST, SMTP_SENDER and the `service_url` of the site."
    elif not address:
        problem = "The blog does not know the e-mail address; send the link yourself."
    elif not _sending_slots.acquire(blocking=False):
        problem = "Other e-mails are being sent; try again in a minute."
    else:
        try:
            _send_link(link, address, subject, text, values)
        except mail.EmailNotSent as error:
            problem = str(error)
        finally:
            _sending_slots.release()
    return WithAttributes(link, sent=not problem, problem=problem)


def _send_link(link: Any, address: str, subject: str, text: str, values: dict[str, str]) -> None:
    title = get_site().title or "a blog"
    values = values | {"title": title, "url": link.url, "expires": _format_time(link.expires)}
    # The mail server can be slow, so end the read transaction before.
    end_read()
    mail.send_email(address, subject.format(title=title), text.format(**values))


def _format_time(time: datetime) -> str:
    return f"{time.day} {time:%B %Y, %H:%M} UTC"
