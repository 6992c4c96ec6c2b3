"""Everything that the server shows to anybody, as text: pages, feeds, files, admin pages, mails, log lines."""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message as Part

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from gemserver.lib import clock, web_push
from gemserver.lib.process.logs import JsonLine
from gemserver.moderation.actions import ACTIONS
from gemserver.moderation.actions.targets import Target
from gemserver.notify import delivery
from gemserver.notify.channel_messages import Told, write_request
from gemserver.notify.channels import Destination
from gemserver.notify.content import announce, in_words_of
from gemserver.notify.models import Channel, OutboxMessage
from tests.builders import NOON
from tests.channels.subscriber import Subscriber
from tests.mailgate.letters import receive_at
from tests.masks import HEX_DIGITS, mask
from tests.secrecy.world import PUZZLE_DAY, WHAT_IF, Observer, World, future

Surface = tuple[str, Callable[[], str]]
"""Its name, and a function that reads its text."""

LAST_OBJECTS = 2
"""Objects of each model whose moderators' pages are compared."""

_MASKS = (
    (re.compile(r'name="(csrfmiddlewaretoken|request_id|request_key)" value="[^"]*"'), ""),
    *HEX_DIGITS,
    (re.compile(r"\b[0-9a-f]{17,}…"), "HASH"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "REQUEST"),
    (re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT"), "NOW"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}"), "UUID"),
    (re.compile(r"(?:boundary=\"?|--)=+\d+=+"), "BOUNDARY"),
    (re.compile(r"\d+\xa0\w+|in \d+ \w+|\b\d+ ms\b|\"milliseconds\": \d+"), "WHILE"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00"), "NOW"),
)
"""Values that are random or new each time."""


def look(world: World, observers: list[Observer], *, share: int = 1, turn: int = 0) -> dict[str, str]:
    """Read everything these people see now: all due mails and log lines, and one in `share` of the pages.

    Another `turn` reads other pages.
    """
    seen: dict[str, str] = {}
    with _log_lines() as lines:
        rows = list(
            OutboxMessage.objects.filter(state="queued", available_at__lte=clock.now()).order_by("pk")
        )
        delivery.send_queued()
        for number, row in enumerate(rows):
            texts = list_told(row, with_mail=(number + turn) % share == 0)
            # What a chat is told, anybody may read.
            readers = {"chat": "everybody", "hook": row.user.username if row.user else ""}
            seen |= {
                f"{readers[name]}: {name} {row.message_id}": mask(_MASKS, text)
                for name, text in texts
                if name == "chat" or readers[name] in {each.user.username for each in observers if each.user}
            }
        for observer in observers:
            surfaces = list(_list_surfaces(world, observer))
            for number, (name, read) in enumerate(surfaces):
                if (number + turn) % share == 0:
                    seen[f"{observer.name}: {name}"] = mask(_MASKS, read())
            seen |= {f"{observer.name}: {name}": mask(_MASKS, text) for name, text in _read_mails(observer)}
    mail.outbox.clear()  # type: ignore[attr-defined]
    seen["log"] = mask(_MASKS, "\n".join(lines))
    return seen


def list_told(row: OutboxMessage, *, with_mail: bool = True) -> Iterator[tuple[str, str]]:
    """The requests to channels of this row's reader: all kinds as `chat`, one with the mail in it as `hook`."""
    row.refresh_from_db()
    words = in_words_of(row.user, announce, row)
    if words is None or row.user is None:
        return
    one, url = Subscriber(), "https://example.org/topic"
    sent = []
    for number, kind in enumerate(Channel.Kind, start=1):
        place = Destination(url, **one.sent, vapid=web_push.public_key(settings.VAPID_KEY))
        told = Told(row, Channel(pk=number, user=row.user, kind=kind), place, words, NOON)
        request = write_request(told)
        body = one.open(request.body) if kind == Channel.Kind.WEB_PUSH else request.body
        names = request.headers.keys() - {"Authorization"}  # new each time, and of no match
        sent.append(
            f"{request.method} {request.url} {[request.headers[name] for name in sorted(names)]} {body!r}"
        )
    yield "chat", "\n".join(sent)
    if with_mail and (content := delivery.write_content(row)):
        hook = Channel(pk=9, user=row.user, kind=Channel.Kind.WEBHOOK, holds_mail=True)
        yield "hook", write_request(Told(row, hook, Destination(url), words, NOON, content)).body.decode()


def _list_surfaces(world: World, observer: Observer) -> Iterator[Surface]:
    for path in list_paths(world, observer):
        yield path, lambda path=path: _get(observer, path)  # type: ignore[misc]
    for path in list_api_paths(world, observer):
        yield path, lambda path=path: _get_as_program(observer, path)  # type: ignore[misc]
    if observer.user is not None:
        yield "export", lambda: _read_export(observer)
    if observer.seat is not None:
        yield "answer to a mail", lambda: _ask_by_mail(world, observer)
    if observer.name == "nobody":
        yield (
            "metrics",
            lambda: _get(observer, "/metrics", HTTP_AUTHORIZATION=f"Bearer {settings.METRICS_TOKEN}"),
        )


def list_paths(world: World, observer: Observer) -> Iterator[str]:
    """Every page about the match that the observer may open."""
    match, ply = world.match.code, world.fresh().ply
    prompts = [seat.prompt_ply for seat in world.fresh().read_seats() if seat.index == observer.seat]
    yield from (
        "/",
        f"/m/{match}/",
        f"/m/{match}/?log=all",
        f"/m/{match}/?pieces",
        f"/m/{match}/deal/",
        f"/m/{match}/record.match",
        f"/m/{match}/progress/",
        f"/m/{match}/moves/?from=&prompt={max(prompts, default=0)}",
        f"/m/{match}/board.svg",
    )
    yield from sorted({f"/m/{match}/ply/{number}/" for number in (0, ply // 2, max(ply - 1, 0), ply)})
    what_if = f"/m/{match}/what-if/{WHAT_IF}/"
    yield from (f"/m/{match}/what-if/?ply=0", what_if, f"{what_if}0/", f"{what_if}0/moves/?from=")
    yield from (f"/s/{match}/", f"/s/{match}/{ply // 2}/", f"/s/{match}/{ply}.png", f"/s/{match}.png")
    yield from sorted({f"/m/{match}/plies/{first}/" for first in (0, ply)})
    yield from (f"/m/{match}/table/progress/", "/tables/", "/tables/substitutes/", "/matches/", "/clubs/")
    yield from ("/puzzles/", f"/puzzles/{PUZZLE_DAY}/", f"/puzzles/{PUZZLE_DAY}/moves/?from=")
    yield from ("/news/", "/news/?list=home", "/news/?list=matches&status=running", "/practice/gem/")
    yield from (f"/players/{player.username}/" for player in world.players)
    yield from ("/events/", "/events/league/", "/events/league/1/", "/clubs/lake/")
    yield f"/ratings/{world.slug}.csv"
    seats = len(world.players)
    yield from ("/players/?q=a", f"/games/{world.slug}/?seats={seats}", f"/games/{world.slug}/leaderboard/")
    if observer.user is None:
        return
    yield from (
        "/time/",
        "/notifications/",
        "/you/",
        "/you/channels/",
        "/you/mails/",
        "/you/passkeys/",
        "/you/tokens/",
        "/you/bots/",
        "/tables/new/",
        f"/tables/new/{world.slug}/",
    )
    yield from (f"/feeds/{observer.user.feed_token}/{name}" for name in ("moves.ics", "news.atom"))
    if observer.is_player:
        yield from (f"/m/{match}/{page}/" for page in ("notifications", "resign", "report"))
    if observer.is_staff:
        yield from list_staff_paths(world, observer)


def list_api_paths(world: World, observer: Observer) -> Iterator[str]:
    """Every address of the API that a program of the observer may read."""
    if not observer.token:
        return
    match, ply = world.match.code, world.fresh().ply
    about = (
        "",
        "/steps",
        "/log",
        f"/log?after={max(ply - 1, 0)}",
        "/log?since=",
        "/record",
        "/what-if",
        f"/what-if/{WHAT_IF}",
    )
    yield from (f"/api/v1/matches/{match}{part}" for part in about)
    if observer.is_player:
        yield from (f"/api/v1/matches/{match}/{part}" for part in ("talk", "note"))
    yield from (
        f"/api/v1/{part}"
        for part in (
            "turns",
            "matches",
            "tables",
            "free-seats",
            "invitations",
            "clubs",
            "sittings",
            "account",
            "account/channels",
            "puzzles",
            f"puzzles/{PUZZLE_DAY}",
            "games",
            "ratings",
            f"players/{world.players[0].username}/ratings",
            "players?name=a",
            f"games/{world.slug}/figures?seats={len(world.players)}",
            f"games/{world.slug}/leaderboard",
            *("events", "events/league", "events/league/standings", "events/league/fixtures", "clubs/lake"),
        )
    )
    yield from (f"/api/v1/players/{player.username}" for player in world.players)


def list_staff_paths(world: World, observer: Observer) -> Iterator[str]:
    """Every list of the moderators' site, its latest objects, the timeline, and the forms of permitted actions."""
    yield from ("/admin/", "/admin/incidents/", f"/admin/timeline/{world.match.code}/")
    for model in apps.get_models():
        if not admin.site.is_registered(model) or not model.__module__.startswith("gemserver."):
            continue
        label = model._meta.label_lower.replace(".", "_")
        yield reverse(f"admin:{label}_changelist")
        for key in model._default_manager.order_by("-pk").values_list("pk", flat=True)[:LAST_OBJECTS]:
            yield reverse(f"admin:{label}_change", args=[key])
    keys: dict[Target, object] = {
        Target.MATCH: world.match.code,
        Target.SEAT: world.match.seats.values_list("pk", flat=True)[0],
        Target.PLAYER: world.players[0].username,
    }
    for action in ACTIONS.values():
        if action.target in keys and observer.user and observer.user.has_role(action.role):
            yield reverse("admin:action", args=[action.verb, str(keys[action.target])])


def _get(observer: Observer, path: str, **headers: str) -> str:
    # What another page has left to be said on the next one shown would differ by the order in which they are asked.
    observer.client.cookies.pop("messages", None)
    response = observer.client.get(path, **headers)
    content = b"".join(response.streaming_content) if response.streaming else response.content
    is_text = not response["Content-Type"].startswith("image/png")
    shown = content.decode() if is_text else content.hex(":")
    return f"{response.status_code} {sorted(response.headers.items())} {shown}"


def _get_as_program(observer: Observer, path: str) -> str:
    """An answer to a program, and that to the same question with the ETag of the answer."""
    client, sent = Client(), {"Authorization": f"Bearer {observer.token}"}
    response = client.get(path, headers=sent)
    again = client.get(path, headers={**sent, "If-None-Match": response.get("ETag", "")})
    texts = [
        f"{each.status_code} {sorted(each.headers.items())} {each.content.decode()}"
        for each in (response, again)
    ]
    return _LIMIT.sub("LIMIT", " ".join(texts))


_LIMIT = re.compile(r"r=\d+;t=\d+")


def _read_export(observer: Observer) -> str:
    cache.clear()  # a person downloads few files a day
    response = observer.client.post("/you/export/")
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(response.getvalue())) as archive:
        return json.dumps({name: archive.read(name).decode() for name in sorted(archive.namelist())})


def _ask_by_mail(world: World, observer: Observer) -> str:
    """The answer to a mail that has everything shown which a player or sitter may have shown; it is taken back."""
    assert observer.user is not None
    code, address = world.match.code, settings.ACCOUNT_REPLY.format(token=observer.user.token)
    asked = "\n".join(
        ("status", "mails", *(f"{code}: {word}" for word in ("board", "log", "rules", "plan", "note")))
    )
    fields = {
        "From": observer.user.email,
        "To": address,
        "Subject": "show",
        "Message-ID": "<ask@example.org>",
    }
    header = "".join(f"{name}: {value}\n" for name, value in fields.items())
    sent_before = len(mail.outbox)
    with future():
        row = receive_at(address, f"{header}\n{asked}\n".encode(), sender=observer.user.email, at=clock.now())
        delivery.send_queued()
        answers, mail.outbox[sent_before:] = mail.outbox[sent_before:], []
    assert answers, row.code
    shown = [(str(each.body), each.alternatives, each.attachments) for each in answers]
    return f"{row.state} {row.results} {[each.subject for each in answers]} {_plain(shown)}"


def _plain(value: object) -> str:
    """The words and pictures in what a mail has beside its header."""
    if isinstance(value, Part):
        return str(value.get_payload())
    return " ".join(map(_plain, value)) if isinstance(value, list | tuple) else str(value)


def _read_mails(observer: Observer) -> Iterator[tuple[str, str]]:
    """The mails to the observer, part by part."""
    theirs = [each for each in mail.outbox if observer.user and each.to == [observer.user.email]]
    for number, message in enumerate(theirs):
        pictures = [str(part.get_payload()) for part in message.attachments if isinstance(part, Part)]
        yield f"mail {number} headers", f"{message.subject} {sorted(message.extra_headers.items())}"
        yield f"mail {number} text", str(message.body)
        for content, kind in message.alternatives:
            yield f"mail {number} {kind}", str(content)
        for place, picture in enumerate(pictures):
            yield f"mail {number} picture {place}", picture


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(JsonLine())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(_without_time(self.format(record)))


def _without_time(line: str) -> str:
    return json.dumps({name: value for name, value in json.loads(line).items() if name != "time"})


@contextmanager
def _log_lines() -> Iterator[list[str]]:
    """Collect all log lines meanwhile, as production writes them, down to DEBUG."""
    handler, root = _Lines(), logging.getLogger()
    ours = [logging.getLogger(name) for name in ("gemserver", "django.request", "django.security")]
    levels = [(logger, logger.level) for logger in (root, *ours)]
    for logger in (root, *ours):
        logger.setLevel(logging.DEBUG if logger in ours else logging.INFO)
    root.addHandler(handler)
    try:
        yield handler.lines
    finally:
        root.removeHandler(handler)
        for logger, level in levels:
            logger.setLevel(level)


def differing(first: dict[str, str], second: dict[str, str]) -> dict[str, str]:
    """The first difference of each surface that differs between two looks, by name."""
    names = sorted(first.keys() | second.keys())
    return {
        name: _point_at(first.get(name, ""), second.get(name, ""))
        for name in names
        if first.get(name) != second.get(name)
    }


def _point_at(one: str, other: str) -> str:
    pairs = enumerate(zip(one, other, strict=False))
    place = next((place for place, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))
    start = max(place - 60, 0)
    return f"{one[start : place + 60]!r} and {other[start : place + 60]!r}"
