"""Fetches mail from a mailbox over IMAP, for servers at home whose mail a provider keeps.

A mail is fetched without being marked (PEEK), stored, and only then filed away: a failure in between leaves it unread
where it is, and the next look finds it again. It counts from when the mailbox received it (INTERNALDATE).
"""

from __future__ import annotations

import imaplib
import logging
import re
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import close_old_connections
from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.consts import MailMessageFlags
from imap_tools.errors import ImapToolsError, MailboxMoveError

from gemserver.lib import clock
from gemserver.lib.process.host_lookup import require_lookup
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.receivers.recipients import envelope_sender, header_of, own_addresses

log = logging.getLogger(__name__)

Stopping = Callable[[], bool]

TIMEOUT = 60
"""Seconds that the server may be silent in answering a command."""
PAUSE_FIRST, PAUSE_LONGEST = 2.0, 300.0
"""Seconds before connecting again; doubled each time, and reset by a look that succeeds."""
IDLE_LONGEST = timedelta(minutes=1)
"""Between two looks at a server that announces new mail at once (RFC 2177): what comes just before it begins to listen
may stay unheard in a buffer of imaplib."""
NOWHERE = "-"
"""In place of a folder's name: mails stay, marked as seen."""
FAILURES = (ImapToolsError, imaplib.IMAP4.error, OSError, DatabaseError)

_WANTED = "UNSEEN UNFLAGGED UNDELETED"
_SIZE = re.compile(rb"RFC822\.SIZE (\d{1,12})")


def watch(is_stopping: Stopping) -> None:
    """Take mail from the mailbox until told to stop; after a failure, pause and connect again."""
    pause = PAUSE_FIRST
    while not is_stopping():
        try:
            with connect() as box:
                while not is_stopping():
                    collect(box)
                    pause = PAUSE_FIRST
                    _wait_for_mail(box, is_stopping)
        except FAILURES as error:
            log.warning("the mailbox cannot be read: %s; trying again in %d s", error, pause)
            _sleep(pause, is_stopping)
            pause = min(2 * pause, PAUSE_LONGEST)


def connect() -> BaseMailBox:
    """Connect to the mailbox and choose its folder. Raises one of `FAILURES`, even for a doubtful certificate."""
    try:
        tls = ssl.create_default_context(cafile=settings.IMAP_TLS_CA or None)
    except OSError as error:
        raise OSError(f"IMAP_TLS_CA={settings.IMAP_TLS_CA!r}: {error}") from error
    host, port = settings.IMAP_HOST, settings.IMAP_PORT
    require_lookup(host, TIMEOUT)
    box: BaseMailBox
    match settings.IMAP_TLS:
        case "starttls":
            box = MailBoxStartTls(host, port, timeout=TIMEOUT, ssl_context=tls)
        case "none":
            box = MailBoxUnencrypted(host, port, timeout=TIMEOUT)
        case _:
            box = MailBox(host, port, timeout=TIMEOUT, ssl_context=tls)
    box.login(settings.IMAP_USER, settings.IMAP_PASSWORD, initial_folder=None)
    for folder in (settings.IMAP_PROCESSED, settings.IMAP_REJECTED):
        if folder != NOWHERE and not box.folder.exists(folder):
            box.folder.create(folder)
    box.folder.set(settings.IMAP_FOLDER)
    return box


def collect(box: BaseMailBox) -> int:
    """Store each new mail and file it away; return how many were stored. Raises one of `FAILURES`."""
    close_old_connections()
    stored = 0
    for uid in box.uids(_WANTED):
        stored += _take(box, uid)
    return stored


def _take(box: BaseMailBox, uid: str) -> bool:
    """Store one mail, unless it is too big or for none of our addresses; True if it was stored."""
    about, header = _fetch(box, uid, "(RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER])")
    size = _SIZE.search(about)
    if size is None:  # it is gone meanwhile
        return False
    if int(size.group(1)) > settings.MAIL_SIZE_LIMIT:
        log.warning("a mail of %s bytes is flagged and left in the mailbox", int(size.group(1)))
        box.flag(uid, MailMessageFlags.FLAGGED, True)
        return False
    fields = header_of(header)
    ours = own_addresses([], fields)
    if not ours:
        _file(box, uid, settings.IMAP_REJECTED)
        return False
    _, raw = _fetch(box, uid, "(BODY.PEEK[])")
    ingest(raw, envelope_sender(fields), ours[0], "imap", {}, received_at=_received(about))
    _file(box, uid, settings.IMAP_PROCESSED)
    return True


def _fetch(box: BaseMailBox, uid: str, parts: str) -> tuple[bytes, bytes]:
    """The server's answer about a mail, and the requested part, byte for byte; both empty if it is gone.

    imap-tools is not used, as it would parse the mail: hostile ones make that fail.
    """
    status, answer = box.client.uid("FETCH", uid, parts)
    if status != "OK":
        raise imaplib.IMAP4.error(f"FETCH was answered {status}")
    about, content = b"", b""
    for item in answer:
        if isinstance(item, tuple):
            about, content = about + item[0], item[1]
        elif isinstance(item, bytes):
            about += b" " + item
    return about, content


def _received(about: bytes) -> datetime:
    """The instant at which the mailbox received it; never later than now, whatever its clock says."""
    stamp = imaplib.Internaldate2tuple(about)
    now = clock.now()
    return min(datetime.fromtimestamp(time.mktime(stamp), UTC), now) if stamp else now


def _file(box: BaseMailBox, uid: str, folder: str) -> None:
    """Move the mail away, or mark it as seen if no folder is named or none accepts it."""
    if folder != NOWHERE:
        try:
            box.move(uid, folder)
        except MailboxMoveError as error:
            log.warning("a mail cannot be moved to %s: %s", folder, error)
        else:
            return
    box.flag(uid, MailMessageFlags.SEEN, True)


def _wait_for_mail(box: BaseMailBox, is_stopping: Stopping) -> None:
    """Wait until the server announces something new, or it is time to look again."""
    if "IDLE" not in box.client.capabilities:
        _sleep(settings.IMAP_POLL_SECONDS, is_stopping)
        return
    end = time.monotonic() + IDLE_LONGEST.total_seconds()
    with box.idle as idle:
        while (asked := time.monotonic()) < end and not is_stopping():
            # Nothing at once, instead of after a second: the connection is gone, as the next look will find out.
            if idle.poll(timeout=1) or time.monotonic() - asked < 0.5:
                return


def _sleep(seconds: float, is_stopping: Stopping) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_stopping():
        time.sleep(min(0.5, seconds))
