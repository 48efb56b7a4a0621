"""Letters: by an SMTP server, or where none is set as .eml files in a folder."""

from __future__ import annotations

import contextlib
import smtplib
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from pathlib import Path
from urllib.parse import unquote, urlsplit

from claimcheck.outbound.answers import Failure

SECONDS = 10.0  # of each step with the server
PORTS = {"smtp": 25, "smtps": 465}


@dataclass(frozen=True, slots=True)
class Post:
    """Where letters go. Without `url` they become files in `folder`."""

    folder: Path
    sender: str
    url: str | None = field(default=None, repr=False)


def letter(post: Post, *, to: str, key: str, subject: str, text: str, at: datetime) -> EmailMessage:
    """A plain letter. `key` makes its Message-ID, so that the same letter sent twice is known for one."""
    made = EmailMessage()
    made["From"], made["To"], made["Subject"], made["Date"] = post.sender, to, " ".join(subject.split()), format_datetime(at)
    made["Message-ID"] = f"<{key}@{domain(post.sender)}>"
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(text)
    return made


def domain(address: str) -> str:
    """What stands behind the @."""
    return address.rpartition("@")[2].rstrip(">") or make_msgid().partition("@")[2].rstrip(">")


def send(post: Post, made: EmailMessage, *, key: str) -> None:
    """Hands a letter over, once. Raises Failure: `denied` where the server refuses for good, else trying again may help."""
    if not post.url:
        return _keep(post.folder, made, key)
    try:
        with _server(post.url) as server:
            server.send_message(made)
    except smtplib.SMTPRecipientsRefused as error:
        code = max((code for code, _ in error.recipients.values()), default=0)
        raise Failure("denied" if code >= 500 else "connection", f"The mail server refused the address ({code}).") from None
    except smtplib.SMTPResponseException as error:
        final = error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPAuthenticationError)
        raise Failure("denied" if final else "connection", f"The mail server answered {error.smtp_code}.") from None
    except (OSError, smtplib.SMTPException) as error:
        raise Failure("connection", f"The mail server could not be reached ({type(error).__name__}).") from None
    return None


@contextlib.contextmanager
def _server(url: str) -> Iterator[smtplib.SMTP]:
    parts = urlsplit(url)
    host, port, context = parts.hostname or "", parts.port or PORTS[parts.scheme], ssl.create_default_context()
    opened = smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=context) if parts.scheme == "smtps" else smtplib.SMTP(host, port, timeout=SECONDS)
    with opened as server:
        if parts.scheme == "smtp":
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls(context=context)
        if parts.username:
            server.login(unquote(parts.username), unquote(parts.password or ""))
        yield server


def _keep(folder: Path, made: EmailMessage, key: str) -> None:
    """As a file, whole or not at all; the same letter again is the same file."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        half = folder / f".{key}.half"
        half.write_bytes(made.as_bytes())
        half.replace(folder / f"{key}.eml")
    except OSError as error:
        raise Failure("connection", f"The letter could not be written ({type(error).__name__}).") from None
