"""The built-in SMTP receiver: takes mail for our own addresses, stores it, relays nothing (RFC 5321).

It answers 250 only once the mail is committed; after any other answer the sender still has it and tries again or tells
its writer. The database is never touched on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

from aiosmtpd.smtp import SMTP, Envelope, Session, syntax
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import close_old_connections

from gemserver.lib.database.database_faults import with_new_plans
from gemserver.lib.text.mail_address import comparable
from gemserver.lib.web.client_address import network_of
from gemserver.mailgate.addresses import Recipient, find_recipient
from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.receivers.data import read_data
from gemserver.mailgate.receivers.doors import Doors
from gemserver.mailgate.receivers.proof import LONGEST, prove
from gemserver.mailgate.receivers.rates import SharedLimit

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

MAX_CONNECTIONS = 100
MAX_COMMANDS = 100
"""Of one kind in one connection."""
FIRST_COMMAND = 15
TIMEOUT = 60
"""Seconds that a sender may be silent, before the first command and later; all of the data is one command."""
LONGEST_CONVERSATION = 600
"""Seconds of a connection in all, whatever is said in it."""
DATABASE_THREADS = 4
DNS_THREADS = 8
DNS_THREADS_PER_HOST = 2
"""Mails of one host whose senders are looked up at a time: a sender's own name server can be slow for each of them."""
DNS_TURN = 20
"""Seconds for which a mail waits for its turn to be looked up; then it is to come again."""
COUNTING_PATIENCE = 2
"""Seconds in which the database counts a mail; after that this process counts it for itself."""
GRACE = 10
"""Seconds in which mails that are being stored may still be answered when the receiver stops."""

BEGIN = "354 End data with <CR><LF>.<CR><LF>"
NO_RECIPIENT = "503 5.5.1 Name a recipient first"
BARE_DATA = "501 5.5.4 DATA stands alone"
TOO_LARGE = "552 5.3.4 The mail is too large"
OK = "250 2.1.5 OK"
STORED = "250 2.6.0 Stored"
UNKNOWN = "550 5.1.1 There is no such address here; {site} shows your matches and how to write to them"
TOO_MANY_RECIPIENTS = "452 4.5.3 Too many recipients, send the others in a mail of their own"
TOO_OFTEN = "451 4.7.1 Too many mails, try again later"
FAILED = "451 4.3.0 The mail could not be stored now, try again later"
BUSY = b"421 4.3.2 Too many connections, try again later\r\n"


class Conversation(SMTP):
    """One connection."""

    def __init__(self, clerk: Clerk, tls: ssl.SSLContext | None, doors: Doors) -> None:
        super().__init__(
            clerk,
            data_size_limit=settings.MAIL_SIZE_LIMIT,
            hostname=settings.MAIL_DOMAIN,
            ident="gemserver",
            tls_context=tls,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
            timeout=TIMEOUT,
            command_call_limit=MAX_COMMANDS,
            loop=asyncio.get_running_loop(),
        )
        self.is_counted = False
        self.is_excused = False
        self.network = ""
        self._doors = doors
        self._is_in = False
        self._end: asyncio.TimerHandle | None = None

    @property
    def is_silent(self) -> bool:
        """True while no recipient of ours was named in it."""
        return not (self.envelope and self.envelope.rcpt_tos)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin, if there is room; called again for the same connection once it speaks TLS."""
        if not self._is_in:
            peer = transport.get_extra_info("peername")
            self.network = network_of(str(peer[0]) if isinstance(peer, tuple) else "")
            if not self._doors.enter(self):
                assert isinstance(transport, asyncio.Transport)
                transport.write(BUSY)
                transport.close()
                return
            self._is_in = True
            self._end = asyncio.get_running_loop().call_later(LONGEST_CONVERSATION, self.turn_out)
        super().connection_made(transport)
        self._reset_timeout(FIRST_COMMAND)

    def turn_out(self) -> None:
        """Close the connection with a last message: to make room for another, or because it has lasted too long."""
        if isinstance(self.transport, asyncio.Transport) and not self.transport.is_closing():
            self.transport.write(BUSY)
            self.transport.close()

    @syntax("DATA")
    async def smtp_DATA(self, argument: str | None) -> None:
        """Like aiosmtpd's, which takes a second for a megabyte of empty lines, in which it serves nobody else.

        Lines may be of any length: HTML mails have them far over the 1001 octets of RFC 5321, and a refusal would lose
        the player's move.
        """
        if await self.check_helo_needed():
            return
        assert self.envelope is not None
        if not self.envelope.rcpt_tos:
            await self.push(NO_RECIPIENT)
            return
        if argument:
            await self.push(BARE_DATA)
            return
        await self.push(BEGIN)
        data = await read_data(self._reader, settings.MAIL_SIZE_LIMIT)
        if data is None:
            status = TOO_LARGE
        else:
            self.envelope.content = self.envelope.original_content = data
            status = await self._call_handler_hook("DATA")
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        await self.push(status)

    def eof_received(self) -> bool | None:
        return super().eof_received() if self._is_in else False

    def connection_lost(self, error: Exception | None) -> None:
        if self._is_in:
            self._doors.leave(self)
            if self._end:
                self._end.cancel()
            super().connection_lost(error)


class Clerk:
    """Judges senders and recipients and stores mails; aiosmtpd calls its `handle_…` hooks."""

    max_recipients = 10
    """Of one mail (mail-requirements.md O3)."""
    source = "smtp"

    def __init__(self) -> None:
        self.per_host: int = settings.MAIL_CONNECTIONS_PER_HOST
        self._threads = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="smtp")
        self._askers = ThreadPoolExecutor(DNS_THREADS, thread_name_prefix="dns")
        self._turns: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._connections = SharedLimit("connections", settings.MAIL_RATE_CONNECTIONS, 60)
        self._senders = SharedLimit("senders", settings.MAIL_RATE_SENDER, 3600)
        self._addresses = SharedLimit("addresses", settings.MAIL_RATE_ADDRESS, 3600)
        self._storing = 0

    async def handle_EHLO(
        self, server: Conversation, session: Session, envelope: Envelope, name: str, responses: list[str]
    ) -> list[str]:
        """Offer no AUTH: nobody signs in to a server that only receives."""
        session.host_name = name
        return [response for response in responses if not response.startswith("250-AUTH ")]

    async def handle_MAIL(
        self, server: Conversation, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Count connections per host, and mails per host and sender: forging somebody does not use up their quota.

        Returned mails have no sender and are counted by recipient: a relay brings those of a whole site.
        """
        if not server.is_counted:
            server.is_counted = True
            if not await self._allows(self._connections, server.network):
                return TOO_OFTEN
        sender = comparable(address.strip("<>"))
        if sender and not await self._allows(self._senders, (_host(session), sender)):
            return TOO_OFTEN
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 2.1.0 OK"

    async def handle_RCPT(
        self, server: Conversation, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """Accept our own addresses only, with one answer for all others: guessing teaches nothing."""
        if len(envelope.rcpt_tos) >= self.max_recipients:
            return TOO_MANY_RECIPIENTS
        try:
            recipient = await self._with_database(find_recipient, address)
        except Exception:
            log.exception("a recipient could not be looked up")
            return FAILED
        if recipient is None:
            return UNKNOWN.format(site=settings.SITE_URL)
        if not await self._is_within_limits(server, session, envelope, address, recipient):
            return TOO_OFTEN
        envelope.rcpt_tos.append(address)
        return OK

    async def _is_within_limits(
        self,
        server: Conversation,
        session: Session,
        envelope: Envelope,
        address: str,
        recipient: Recipient,
    ) -> bool:
        """Count a mail for a player's address, one without a sender, and one to an address that everybody knows.

        The last by host alone, as whoever writes under ever new names would fill the disk; not behind a relay.

        A connection that brings mail for a player's own address no longer counts among those of its host: that address
        has a limit of its own, and a large provider sends the mail of many players from one network.
        """
        is_returned = not (envelope.mail_from or "").strip("<>")
        if is_returned and not await self._allows(self._senders, (_host(session), "to", comparable(address))):
            return False
        if recipient.user is None:
            is_relayed = not self._connections.limit
            return is_returned or is_relayed or await self._allows(self._senders, (server.network, "to all"))
        if not await self._allows(self._addresses, comparable(address)):
            return False
        if server.is_counted and not server.is_excused:
            server.is_excused = True
            await self._give_back(self._connections, server.network)
        return True

    async def handle_DATA(self, server: Conversation, session: Session, envelope: Envelope) -> str:
        """Store the mail once per recipient; a mail that comes again after a failure is known by its key."""
        auth = {"peer": _host(session), "helo": (session.host_name or "")[:255]}
        if settings.SMTP_PROVES_SENDERS:
            try:
                auth |= await self._prove(envelope, server.network, auth["peer"], auth["helo"])
            except TimeoutError:
                log.warning("the sender of a mail could not be looked up for want of a turn")
                return FAILED
        for address in dict.fromkeys(envelope.rcpt_tos):
            answer = await self.store(address, envelope, auth)
            if answer != STORED:
                return answer
        return STORED

    async def store(self, address: str, envelope: Envelope, auth: dict[str, str]) -> str:
        """Store the mail for one recipient and return the answer."""
        raw, sender = envelope.original_content or b"", (envelope.mail_from or "").strip("<>")
        self._storing += 1
        try:
            await self._with_database(ingest, raw, sender, address, self.source, auth)
        except Exception:
            log.exception("a mail could not be stored")
            return FAILED
        finally:
            self._storing -= 1
        return STORED

    async def _prove(self, envelope: Envelope, network: str, host: str, helo: str) -> dict[str, str]:
        """DNS's findings on the sender. Raises TimeoutError if its turn does not come.

        It is not stored as unproved then, or whoever keeps all threads busy would have forged mail pass for that.
        """
        raw, sender = envelope.original_content or b"", (envelope.mail_from or "").strip("<>")
        turn = self._turns.setdefault(network, asyncio.Semaphore(DNS_THREADS_PER_HOST))
        async with asyncio.timeout(DNS_TURN + LONGEST), turn:
            asked = asyncio.get_running_loop().run_in_executor(self._askers, prove, raw, host, sender, helo)
            try:
                return await asked
            except Exception:  # the mail is stored all the same, unproved
                log.warning("the sender of a mail could not be looked up", exc_info=True)
                return {}

    async def handle_exception(self, error: Exception) -> str:
        """The answer when a step of aiosmtpd's own fails."""
        log.error("an SMTP conversation failed", exc_info=error)
        return FAILED

    async def finish(self) -> None:
        """Wait for mails that are being stored, `GRACE` seconds at most."""
        for _ in range(GRACE * 20):
            if not self._storing:
                break
            await asyncio.sleep(0.05)
        self._threads.shutdown(wait=False)
        self._askers.shutdown(wait=False, cancel_futures=True)

    async def _allows(self, limit: SharedLimit, key: Hashable) -> bool:
        """Count one event of all receivers; of this one alone if the database does not answer in time."""
        if not limit.limit:
            return True
        try:
            counted = self._with_database(limit.allows, key)
            return await asyncio.wait_for(counted, COUNTING_PATIENCE)
        except Exception:
            log.warning("a mail could not be counted for all receivers together", exc_info=True)
            return limit.alone.allows(key)

    async def _give_back(self, limit: SharedLimit, key: Hashable) -> None:
        if not limit.limit:
            return
        try:
            await asyncio.wait_for(self._with_database(limit.give_back, key), COUNTING_PATIENCE)
        except Exception:
            log.warning("a connection still counts although it brings mail for a player", exc_info=True)

    async def _with_database(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        def call() -> T:
            close_old_connections()
            try:
                return with_new_plans(function, *args, **kwargs)
            finally:
                close_old_connections()

        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def listen(host: str, port: int) -> socket.socket:
    """Open the listening socket; port 0 is any free one. Raises OSError if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=100)
    # Inherited by each connection. The answer to EHLO goes out in several pieces; each would wait 40 ms for the client
    # to acknowledge the one before.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


async def serve(
    listener: socket.socket,
    stopping: asyncio.Event,
    *,
    clerk: Clerk | None = None,
    protocol: type[Conversation] = Conversation,
) -> None:
    """Serve the connections of `listener` until `stopping` is set."""
    clerk, tls = clerk or Clerk(), _tls_context()
    doors = Doors(clerk.per_host, MAX_CONNECTIONS)
    server = await asyncio.get_running_loop().create_server(
        lambda: protocol(clerk, tls, doors), sock=listener
    )
    await stopping.wait()
    server.close()
    await clerk.finish()


class BackgroundReceiver:
    """Like `serve`, in a thread of its own, from its creation until `stop`."""

    def __init__(self, listener: socket.socket) -> None:
        self.port: int = listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listener,), name="smtp", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop answering; mails that are being stored are finished first."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self, listener: socket.socket) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(serve(listener, self._stopping))


def _host(session: Session) -> str:
    return str(session.peer[0]) if isinstance(session.peer, tuple) else ""


def _tls_context() -> ssl.SSLContext | None:
    """Return what STARTTLS needs; None where it is not offered. Raises ImproperlyConfigured."""
    if not settings.SMTP_TLS_CERT:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(settings.SMTP_TLS_CERT, settings.SMTP_TLS_KEY or None)
    except OSError as error:  # SSLError too; neither names a file
        raise ImproperlyConfigured(
            f"SMTP_TLS_CERT={settings.SMTP_TLS_CERT!r}, SMTP_TLS_KEY={settings.SMTP_TLS_KEY!r}: {error}. Name the "
            "files of a certificate with its chain and of its key (PEM), which this process may read."
        ) from error
    return context
