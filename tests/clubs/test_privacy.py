"""Nobody but its members finds a trace of what a private club plays: a match of it is one that does not exist.

The tests walk every address of the site and every operation of the API. One that takes the code of a match must answer
outsiders as it answers for a code that nobody has; all others must show outsiders byte for byte what they showed before
the club played. A new address is walked by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.api.document import document
from gemserver.clubs.models import Club, Member
from gemserver.lib import clock
from gemserver.matches.actions.people.follow_player import follow_player
from gemserver.matches.actions.people.renew_feed import feed_token
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.announcements import announce
from gemserver.matches.models import Match
from gemserver.notify.models import OutboxMessage
from gemserver.study.models import WhatIf
from gemserver.study.what_if import begin_what_if
from tests.api.programs import Program, code_of, token_of
from tests.builders import NOON, make_match, make_user, play_to_the_end
from tests.clubs.people import make_club, open_for, play_in
from tests.mailgate.posting import one_line, sent_to, write
from tests.masks import HEX_DIGITS, mask
from tests.quick import one_in, some
from tests.site.pages import signed_in
from tests.site.routes import every_route

pytestmark = pytest.mark.django_db

NOWHERE = "M987654"
"""The code of no match."""

VALUES = {
    "<int:number>": "0",
    "<int:index>": "1",
    "<path:rest>": "deal/",
    "<rest:rest>": "turns",
    "<slug:game>": "gem",
    "<slug:slug>": "gem",
    "<str:name>": "ana",
    "<slug:name>": "open",
    "<int:pk>": "1",
    "<str:token>": "a" * 26,
    "<str:ticket>": "a" * 26,
    "<str:mac>": "a" * 10,
    "<slug:provider>": "mailgun",
    "<slug:category>": "turn",
    "<str:key>": "planted",
    "<str:day>": "2026-01-01",
}
"""Parts of addresses; one that is not listed fails the tests."""

QUERIES = ("?status=running", "?status=finished", "?status=cancelled", "?player=ana", "?list=home")
QUERIES += ("?list=tables", "?list=substitutes", "?list=matches&status=running", "?list=player&name=ana")
"""Asked of the addresses that are lists, or news of lists."""

BODIES: dict[str, Any] = {
    "MoveSent": {"text": "bid 1", "prompt_ply": 1},
    "PlanSent": {"text": "bid 1"},
    "Days": {"first": "2026-03-07", "last": "2026-03-08"},
    "SitterAsked": {"name": "ana", "first": "2026-03-07", "last": "2026-03-08"},
    "Said": {"text": "hello"},
    "NoteSent": {"text": "hello"},
    "Reported": {"text": "hello"},
    "JoinSent": {},
    "SeatTaken": {},
    "Words": {"words": "hello"},
    "Invited": {"whom": "ana"},
    "TermsSent": {"seats": 2, "clock": "3d"},
    "BotsSent": {},
    "LeaveSent": {},
    "PlayerNamed": {"name": "ana"},
    "NewsSent": {"text": "hello"},
    "ClubChangeSent": {"about": "hello"},
    "RoleSent": {"name": "ana", "role": "member"},
    "WhatIfBegun": {"ply": 0},
    "MoveToTry": {"before": 0, "text": ""},
    "WhatIfRenamed": {"name": "hello"},
}
"""The body sent to an operation about a match or a club, by the name of its schema; another one fails the tests."""

KEYS = {"key": VALUES["<str:key>"]}

_MASKS = (
    (re.compile(r'name="(csrfmiddlewaretoken|request_id|request_key|promised)" value="[^"]*"'), ""),
    (re.compile(r"<updated>[^<]*"), ""),
    *HEX_DIGITS,
)


class Scene:
    """Ana and Ben play in a private club; Cy is a member, Dee was one, and Eve never."""

    def __init__(self) -> None:
        self.ana, self.ben, self.cy, self.dee, self.eve = (
            make_user(name) for name in ("ana", "ben", "cy", "dee", "eve")
        )
        self.moderator = make_user("mod", role=Role.MODERATOR)
        make_match(players=[self.ana, self.ben], now=NOON)  # so that the lists have a public match

    def play(self) -> tuple[Club, dict[str, Match]]:
        """Found the club and let it play a match of each kind; Dee leaves it afterwards."""
        club = make_club("Kellerkinder", self.ana, self.ben, self.cy, self.dee)
        found = {
            "open": open_for(club, self.ana, seats=4),
            "invited": open_for(club, self.ana, seats=4, access="invited"),
            "cancelled": open_for(club, self.ben),
            "running": play_in(club, self.ana, self.ben),
            "finished": play_in(club, self.ana, self.ben),
            "abandoned": play_in(club, self.ana, self.ben, self.cy),
        }
        invite(found["invited"].pk, self.ana, "dee", now=NOON)
        cancel_table(found["cancelled"].pk, by=self.ben, now=NOON)
        over = play_to_the_end(found["finished"])
        tree = begin_what_if(over, self.ana, 1, None, "Kellerkind", now=NOON)
        WhatIf.objects.filter(pk=tree.pk).update(key=VALUES["<str:key>"])
        reassign_seat(found["abandoned"].pk, 1, None, "He is away.", now=NOON, is_open=True)
        Member.objects.filter(club=club, user=self.dee).delete()
        for match in found.values():  # a short code stands in every picture
            Match.objects.filter(pk=match.pk).update(code=f"M7000{match.pk}")
        return club, {name: Match.objects.get(pk=match.pk) for name, match in found.items()}

    @property
    def outsiders(self) -> dict[str, User]:
        return {"another player": self.eve, "a former member": self.dee, "a moderator": self.moderator}

    def clients(self) -> dict[str, Client]:
        return {"a stranger": Client(), **{name: signed_in(user) for name, user in self.outsiders.items()}}


@pytest.fixture(autouse=True)
def at_noon(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    monkeypatch.setattr(clock, "now", lambda: NOON)


def fill_in(route: str, code: str) -> str:
    values = {"<str:code>": code, "<small_code:code>": code.lower(), **VALUES}
    for part, value in values.items():
        route = route.replace(part, value)
    assert "<" not in route, f"a new kind of address: say in VALUES what {route} is filled with"
    return f"/{route}"


def routes_about_a_match() -> list[str]:
    return [route for route in every_route() if "code>" in route and not route.startswith("admin/")]


def lists() -> Iterator[str]:
    """Every address of the site that names no match, and the news and filters of lists."""
    # One's own mails are more with each look, which writes some.
    silent = ("admin/", "metrics", "accounts/", "demo/", "you/export", "you/mails", "healthz", "readyz", "m/")
    for route in every_route():
        if not route.startswith(silent):
            yield fill_in(route, NOWHERE)
    yield from (f"/{place}/{query}" for place in ("matches", "news", "tables") for query in QUERIES)
    yield from (f"/clubs/{place}/" for place in ("kellerkinder", "kellerkinder/edit"))
    yield from (f"/players/{name}/" for name in ("ana", "ben", "cy"))


def said(response: Any, code: str) -> str:
    where = response.headers.get("Location", "")
    text = f"{response.status_code} {where} {response.getvalue().decode(errors='replace')}"
    return mask(_MASKS, text.replace(code, "CODE").replace(code.lower(), "CODE"))


@pytest.mark.slow
def test_every_address_about_a_match_answers_outsiders_as_if_there_were_none() -> None:
    scene = Scene()
    _club, matches = scene.play()
    routes = routes_about_a_match()
    assert len(routes) > 20
    for who, client in scene.clients().items():
        for number, route in enumerate(routes):
            for name, match in some([*matches.items()], 8, turn=number):
                for ask in (client.get, client.post):
                    real = said(ask(fill_in(route, match.code)), match.code)
                    none = said(ask(fill_in(route, NOWHERE)), NOWHERE)
                    assert real == none, f"{who}, {ask.__name__} {route}, the {name} match"


@pytest.mark.slow
def test_the_right_link_of_a_table_lets_no_outsider_in() -> None:
    scene = Scene()
    _club, matches = scene.play()
    path = f"/m/{matches['invited'].code}/link/{matches['invited'].link_token}/"
    assert [client.get(path).status_code for client in scene.clients().values()] == [404] * 4
    assert signed_in(scene.cy).get(path).status_code == 200


@pytest.mark.slow
def test_an_invitation_leads_nobody_to_the_table_who_has_left() -> None:
    scene = Scene()
    club, matches = scene.play()
    invitation = matches["invited"].invitations.get()
    path = f"/invitations/{invitation.pk}/{invitation.token}/"
    answers = {who: client.get(path).status_code for who, client in scene.clients().items()}
    assert answers == {
        "a stranger": 302,  # a member may only have to sign in
        "another player": 404,
        "a former member": 404,
        "a moderator": 404,
    }
    Member.objects.create(club=club, user=scene.dee, joined_at=NOON)
    assert signed_in(scene.dee).get(path).status_code == 200


@pytest.mark.slow
def test_members_and_players_see_the_matches_of_their_club() -> None:
    scene = Scene()
    club, matches = scene.play()
    for user in (scene.ana, scene.cy):
        client = signed_in(user)
        for match in matches.values():
            assert client.get(match.get_absolute_url()).status_code == 200
        pages = "".join(client.get(path).getvalue().decode() for path in lists() if "you/erase" not in path)
        for name, match in matches.items():
            assert match.code in pages, f"{name}: nowhere listed"
    Member.objects.filter(club=club, user=scene.ben).delete()
    client = signed_in(scene.ben)
    assert client.get(matches["running"].get_absolute_url()).status_code == 200
    assert matches["finished"].code in client.get("/players/ben/").content.decode()
    assert client.get(matches["open"].get_absolute_url()).status_code == 404


@pytest.mark.slow
def test_no_list_shows_outsiders_anything_of_what_a_private_club_plays() -> None:
    scene = Scene()
    clients, tokens = scene.clients(), {name: token_of(user) for name, user in scene.outsiders.items()}
    feeds = [f"/feeds/{feed_token(user)}/{name}" for user in scene.outsiders.values() for name in FEEDS]

    def look() -> dict[str, str]:
        seen = {}
        for who, client in clients.items():
            for path in [*lists(), *feeds]:
                seen[f"{who}: {path}"] = said(client.get(path), NOWHERE)
        for who, token in tokens.items():
            for path in api_lists():
                seen[f"{who}: api {path}"] = said(Program(token).get(path), NOWHERE)
        for name, user in scene.outsiders.items():
            for word in ("games", "follow"):
                write(user, word)
                seen[f"{name}: {word} by mail"] = one_line(sent_to(user)[-1])
        return seen

    for user in scene.outsiders.values():
        follow_player(user, "ana", now=NOON)
    look()  # tokens are marked as used
    before = look()
    club, matches = scene.play()
    after = look()
    assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {}
    for who, client in clients.items():
        own_mails = client.get("/you/mails/").content.decode()
        named = [
            word for word in (club.name, *(match.code for match in matches.values())) if word in own_mails
        ]
        assert named == [], who


FEEDS = ("moves.ics", "news.atom")


def api_lists() -> list[str]:
    paths = [path for path, methods in document()["paths"].items() if "get" in methods and "{" not in path]
    return [path.removeprefix("/api/v1/") for path in paths]


def operations_about_a_match() -> list[tuple[str, str, Any]]:
    found = []
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            if "{code}" in path:
                found.append((method, path.removeprefix("/api/v1/"), _body(operation)))
    return found


def _body(operation: Any) -> Any:
    if "requestBody" not in operation:
        return None
    return BODIES[
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
    ]


@pytest.mark.slow
def test_every_operation_of_the_api_knows_no_such_match() -> None:
    scene = Scene()
    _club, matches = scene.play()
    operations = operations_about_a_match()
    assert len(operations) > 25
    for who, user in scene.outsiders.items():
        program = Program(token_of(user))
        for method, path, body in operations:
            nowhere = said(_ask(program, method, path.format(code=NOWHERE, **KEYS), body), NOWHERE)
            for match in (matches["open"], matches["running"], matches["finished"]):
                answer = _ask(program, method, path.format(code=match.code, **KEYS), body)
                assert (answer.status_code, code_of(answer)) == (404, "no-such-match"), f"{who}: {path}"
                assert said(answer, match.code) == nowhere


def _ask(program: Program, method: str, path: str, body: Any) -> Any:
    return program.get(path) if method == "get" else program.post(path, body)


@pytest.mark.slow
def test_every_operation_of_the_api_knows_no_such_club() -> None:
    scene = Scene()
    club, _matches = scene.play()
    operations = [
        (method, path.removeprefix("/api/v1/"), _body(operation))
        for path, methods in document()["paths"].items()
        for method, operation in methods.items()
        if "{club}" in path
    ]
    assert len(operations) > 5
    for who, user in scene.outsiders.items():
        program = Program(token_of(user))
        for method, path, body in operations:
            answer = _ask(program, method, path.format(club=club.slug), body)
            assert (answer.status_code, code_of(answer)) == (404, "no-such-club"), f"{who}: {path}"
            nowhere = _ask(program, method, path.format(club="nowhere"), body)
            assert said(answer, club.slug) == said(nowhere, "nowhere")


CLUB_COMMANDS = ("club {club}", "join club {club}", "leave club {club}", "club {club} invite eve")
CLUB_COMMANDS += ("club {club} news hello", "club {club} remove ana", "new gem club={club}")


@pytest.mark.slow
@pytest.mark.parametrize("command", CLUB_COMMANDS)
def test_no_command_by_mail_knows_the_club(command: str) -> None:
    scene = Scene()
    club, _matches = scene.play()
    for user in (scene.eve, scene.dee):
        answers = []
        for slug in (club.slug, "nowhere"):
            OutboxMessage.objects.all().delete()
            write(user, command.format(club=slug))
            answers.append(_DATES.sub("", one_line(sent_to(user)[-1]).replace(slug, "CLUB")))
        assert answers[0] == answers[1]


COMMANDS = ("{code}: board", "{code}: log", "{code}: status", "join {code}", "{code}: join", "{code}: bid 1")
COMMANDS += ("{code}: say hello", "{code}: leave", "{code}: resign", "{code}: plan bid 1", "{code}: start")
COMMANDS += (
    "{code}: invite ana",
    "{code}: undo",
    "{code}: note hello",
    "{code}: report hello",
    "{code}: part hello",
)


@pytest.mark.slow
@pytest.mark.parametrize("command", one_in(4, COMMANDS))
def test_no_command_by_mail_knows_the_match(command: str) -> None:
    scene = Scene()
    _club, matches = scene.play()
    for user in (scene.eve, scene.dee):
        for match in (matches["open"], matches["running"], matches["finished"]):
            answers = []
            for code in (match.code, NOWHERE):
                OutboxMessage.objects.all().delete()  # answers are limited by the hour
                write(user, command.format(code=code))
                answers.append(_DATES.sub("", one_line(sent_to(user)[-1]).replace(code, "CODE")))
            assert answers[0] == answers[1]


_DATES = re.compile(r"\d+")


def test_a_chat_is_not_told_which_match_of_a_private_club_it_is_about() -> None:
    scene = Scene()
    match = play_in(make_club("Kellerkinder", scene.ana, scene.ben), scene.ana, scene.ben)
    rows = list(OutboxMessage.objects.filter(thread=match.thread))
    told = [announce(row) for row in rows]
    assert any(told)
    for one in filter(None, told):
        assert match.code not in f"{one.title} {one.text} {one.path} {one.about}"
        assert match.title not in one.title
