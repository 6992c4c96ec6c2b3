"""A game of others that raises, loops or shows a secret stops its own match, with a word to the table and an alarm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import time, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.test import Client

from games import registry
from games.contract import Seat as SeatNumber
from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.people.renew_feed import feed_token
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.pause_match import resume_match
from gemserver.matches.broken_games import is_stopped
from gemserver.matches.mails.digest import digest
from gemserver.matches.models import Match, Move, Notice, Seat, Stop
from gemserver.matches.offered.game_guard import protect
from gemserver.matches.offered.offered_games import offer_games
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from gemserver.operating.alarms import watch
from gemserver.operating.models import Incident
from tests.api.programs import Program, code_of
from tests.builders import asked, make_match, make_user
from tests.mailgate.posting import codes, sent_to, write
from tests.strangers import installed, write_game

pytestmark = pytest.mark.django_db

SOON = 0.3
"""Seconds that a call may take in these tests."""


def raises(*arguments: Any) -> Any:
    raise KeyError("stone")


def loops(*arguments: Any) -> Any:
    for _ in count():
        pass


def leaves(*arguments: Any) -> Any:
    raise SystemExit(0)


@dataclass
class Stranger:
    """A game that is installed and offered, and can be spoilt while its matches run."""

    slug: str

    def spoil(self, **failing: Callable[..., Any]) -> None:
        """Let these functions of the rules fail from now on."""
        game = registry.load(self.slug)
        rules = type(
            "Spoilt", (type(game.rules),), {name: staticmethod(act) for name, act in failing.items()}
        )()
        registry.offer({**registry.GAMES, self.slug: protect(replace(game, rules=rules), SOON)})

    def mend(self) -> None:
        offer_games()


@pytest.fixture
def stranger(tmp_path: Path, settings) -> Iterator[Stranger]:
    with installed(write_game(tmp_path)) as slug:
        settings.GAMES = ["gem", slug]
        offer_games()
        yield Stranger(slug)


@pytest.fixture
def match(stranger: Stranger) -> Match:
    return make_match(stranger.slug, [make_user("ana"), make_user("ben")], now=clock.now())


def assert_stopped(match: Match) -> None:
    """The table reads it once, no clock runs, and the operators are told."""
    match.refresh_from_db()
    assert is_stopped(match)
    assert match.is_running
    assert match.stops.get(end=None).reason == Stop.Reason.GAME
    assert Notice.objects.filter(match=match, kind="game-failed").count() == 1
    assert not sweeps.seats_due(clock.now()).filter(match=match).exists()
    watch(clock.now())
    assert Incident.objects.filter(kind=Incident.Kind.GAME, ended_at=None).count() == 1


@pytest.mark.parametrize("failing", [raises, loops, leaves])
def test_a_move_that_breaks_the_game_is_refused_and_the_match_stands_still(
    stranger: Stranger, match: Match, client: Client, failing: Callable[..., Any]
) -> None:
    seat = asked(match)
    assert seat.user
    stranger.spoil(play=failing)
    client.force_login(seat.user)
    form = {"prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "text": "take 1 from 1", "play": "1"}
    answer = client.post(match.get_absolute_url(), form)
    assert answer.status_code == 422
    assert "the match stands still" in answer.content.decode()
    assert_stopped(match)
    assert not Move.objects.filter(match=match).exists()
    page = client.get(match.get_absolute_url()).content.decode()
    assert "The rules of this game have failed." in page, "in the log"
    assert "This match stands still" in page
    assert "Your turn</strong>" not in page, "at the head"
    assert 'name="play"' not in page, "no button that could only be refused"
    shown = Program.of(seat.user).get(f"matches/{match.code}").json()
    assert shown["asked"] is None


@pytest.mark.parametrize("scores", [[0, 40_000], [10**30, 0], [0.5, 1]])
def test_scores_that_cannot_be_kept_stop_the_match(
    stranger: Stranger, match: Match, client: Client, scores: list[float]
) -> None:
    """Their column would not take them, after the rules have been left."""
    seat = asked(match)
    assert seat.user
    stranger.spoil(standing=lambda _state: scores)
    client.force_login(seat.user)
    form = {"prompt_ply": seat.prompt_ply, "request_id": str(uuid4()), "text": "take 1 from 1", "play": "1"}
    assert client.post(match.get_absolute_url(), form).status_code == 422
    assert_stopped(match)
    assert not Move.objects.filter(match=match).exists()


def test_so_it_is_by_mail(stranger: Stranger, match: Match) -> None:
    seat = asked(match)
    assert seat.user
    stranger.spoil(play=raises)
    assert codes(write(seat.user, "take 1 from 1", to=seat.reply_address)) == ["game-failed"]
    assert_stopped(match)
    assert "have failed" in str(sent_to(seat.user)[-1].body)


def test_so_it_is_by_a_program(stranger: Stranger, match: Match) -> None:
    """The stop stays, although the transaction of the request is taken back."""
    seat = asked(match)
    assert seat.user
    stranger.spoil(play=raises)
    program = Program.of(seat.user)
    body = {"text": "take 1 from 1", "prompt_ply": seat.prompt_ply}
    for _ in range(2):
        answer = program.post(f"matches/{match.code}/move", body, key="one")
        assert (answer.status_code, code_of(answer)) == (503, "game-failed")
        assert answer["Retry-After"] == "3600", "or a bot would ask for nothing else"
    assert_stopped(match)
    stranger.spoil(view=raises)
    answer = program.get(f"matches/{match.code}")
    assert (answer.status_code, code_of(answer)) == (503, "game-failed")


@pytest.mark.slow
@pytest.mark.parametrize("failing", [raises, loops])
def test_a_page_that_breaks_the_game_says_so(
    stranger: Stranger, match: Match, client: Client, failing: Callable[..., Any]
) -> None:
    stranger.spoil(view=failing)
    for _ in range(2):
        answer = client.get(match.get_absolute_url())
        assert answer.status_code == 503
        assert "This match stands still" in answer.content.decode()
    assert_stopped(match)
    seat = asked(match)
    assert seat.user
    client.force_login(seat.user)
    assert client.get("/").status_code == 200, "the other matches of the same player can be reached"


@pytest.mark.parametrize(
    ("language", "logged", "operators"),
    [
        ("en", "stands in the server", "operators"),
        ("de", "er steht im Protokoll des Servers", "Betreiber"),
        ("fr", "figure dans le journal du serveur", "exploitants"),
    ],
)
def test_nobody_is_told_that_operators_know_what_is_in_the_log_alone(
    stranger: Stranger, match: Match, client: Client, language: str, logged: str, operators: str
) -> None:
    """A finished match whose game fails has nothing to stop, and no alarm follows."""
    reader = User.objects.get(username="ana")
    User.objects.filter(pk=reader.pk).update(language=language)
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED, finished_at=clock.now())
    stranger.spoil(view=raises)
    client.force_login(User.objects.get(pk=reader.pk))
    answers = [client.get(match.get_absolute_url()), Program.of(reader).get(f"matches/{match.code}")]
    watch(clock.now())
    assert not Incident.objects.exists()
    for answer in answers:
        assert answer.status_code == 503
    told = [answers[0].content.decode().partition("<main")[2], answers[1].json()["detail"]]
    for text in told:
        assert "operators" not in text
        assert operators not in text
    assert logged in told[0]


def test_a_view_with_a_secret_is_not_shown(stranger: Stranger, match: Match, client: Client) -> None:
    """The game says that it hides something, redraws it, and shows it nevertheless."""
    game = registry.load(stranger.slug)

    def redraw(state: Any, seat: SeatNumber | None, chance: Any) -> Any:
        return replace(state, heaps=(1, 2, 3))

    rules = type(game.rules)()
    rules.meta = replace(rules.meta, has_hidden=True)
    rules._expect_open = lambda: None
    rules.resample = redraw
    registry.offer({**registry.GAMES, stranger.slug: protect(replace(game, rules=rules), SOON)})
    answer = client.get(match.get_absolute_url())
    assert answer.status_code == 503
    assert "Heap" not in answer.content.decode()
    assert_stopped(match)


@pytest.mark.parametrize("failing", [raises, loops])
def test_no_sweep_stops_for_it(stranger: Stranger, failing: Callable[..., Any]) -> None:
    """Bots of the broken match are not asked again, those of others play on."""
    broken = make_match(stranger.slug, bots=2)
    sound = make_match("gem", bots=2)
    stranger.spoil(moves=failing)
    sweeps.play_bots()
    assert_stopped(broken)
    sound.refresh_from_db()
    assert sound.ply > 0
    assert not sweeps.waiting_bots().filter(match=broken).exists()
    assert sweeps.waiting_bots().filter(match=sound).exists()


@pytest.mark.parametrize("failing", [raises, loops])
def test_a_deadline_that_breaks_the_game_stops_its_match_alone(
    stranger: Stranger, match: Match, failing: Callable[..., Any]
) -> None:
    other = make_match("gem", [make_user("cy"), make_user("dee")], now=clock.now())
    Seat.objects.filter(is_waiting=True).update(clock_left=timedelta())
    long_ago = clock.now() - timedelta(days=9)
    Seat.objects.filter(is_waiting=True).update(due_at=long_ago, prompted_at=long_ago)
    stranger.spoil(default_move=failing)
    sweeps.act_on_deadlines()
    assert_stopped(match)
    assert match.ply == 0
    other.refresh_from_db()
    assert other.ply > 0


def test_a_moderator_lets_it_go_on_with_a_version_that_is_right(
    stranger: Stranger, match: Match, client: Client
) -> None:
    seat = asked(match)
    assert seat.user
    stranger.spoil(play=raises)
    assert codes(write(seat.user, "take 1 from 1", to=seat.reply_address)) == ["game-failed"]
    stranger.mend()
    assert codes(write(seat.user, "take 1 from 1", to=seat.reply_address)) == ["game-failed"], "still stopped"
    watch(clock.now())
    resume_match(match.pk, "The game was mended.", now=clock.now())
    assert codes(write(seat.user, "take 1 from 1", to=seat.reply_address)) == ["done"]
    match.refresh_from_db()
    assert match.ply == 1
    watch(clock.now())
    assert not Incident.objects.filter(kind=Incident.Kind.GAME, ended_at=None).exists()


@pytest.mark.parametrize("why", ["its position cannot be read", "its game is not offered any more"])
def test_a_digest_leaves_out_a_match_that_cannot_be_read(stranger: Stranger, match: Match, why: str) -> None:
    _, other, written = digest_of_two(match)
    UNPLAYABLE[why](stranger, match)
    content = digest(written)
    assert content
    assert other.code in content.text
    assert content.subject == "Your turn in one match"


@pytest.mark.parametrize("why", ["its position cannot be read", "its game is not offered any more"])
def test_lists_are_shown_though_a_match_of_them_cannot_be_read(
    stranger: Stranger, match: Match, client: Client, why: str
) -> None:
    ana = User.objects.get(username="ana")
    program = Program.of(ana)
    UNPLAYABLE[why](stranger, match)
    client.force_login(ana)
    paths = ["/", "/matches/", "/players/ana/", "/news/?list=home"]
    paths += [f"/feeds/{feed_token(ana)}/{name}" for name in ("moves.ics", "news.atom")]
    answers = {path: client.get(path).status_code for path in paths}
    answers |= {path: program.get(path).status_code for path in ("turns", "matches", "account")}
    assert answers == dict.fromkeys(answers, 200)
    assert client.get(match.get_absolute_url()).status_code in {200, 503}
    assert Client().get("/").status_code == 200
    assert codes(write(ana, "status")) == ["shown"]
    assert match.code in str(sent_to(ana)[-1].body)


def digest_of_two(match: Match) -> tuple[User, Match, OutboxMessage]:
    """Ana, another match of hers, and the row of a digest that tells of both."""
    ana = User.objects.get(username="ana")
    other = make_match("gem", [ana, make_user("cy")], now=clock.now())
    set_mail_mode(ana, User.MailMode.DIGEST, digest_at=time(8), now=clock.now())
    ana.refresh_from_db()
    prompts = [
        {"match": each.pk, "seat": seat.index, "turn": seat.prompt_ply}
        for each in (match, other)
        for seat in each.seats.filter(user=ana)
    ]
    Seat.objects.filter(user=ana).update(is_waiting=True)
    return ana, other, OutboxMessage(user=ana, data={"prompts": prompts, "since": clock.now().isoformat()})


def test_a_digest_tells_of_the_other_matches(stranger: Stranger, match: Match) -> None:
    _, other, written = digest_of_two(match)
    stranger.spoil(view=raises)
    for _ in range(2):
        content = digest(written)
        assert content
        assert other.code in content.text
        assert content.subject == "Your turn in one match"
        assert_stopped(match)


def test_text_that_the_game_stumbles_over_stops_nothing(stranger: Stranger, match: Match) -> None:
    """Or whoever loses could have it stand still."""
    seat = asked(match)
    assert seat.user
    stranger.spoil(parse=raises)
    assert codes(write(seat.user, "take 1 from 1", to=seat.reply_address)) != ["done"]
    assert not is_stopped(match)


def is_damaged(stranger: Stranger, match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(position='{"heaps": "none"}')


def is_removed(stranger: Stranger, match: Match) -> None:
    registry.offer({slug: game for slug, game in registry.GAMES.items() if slug != stranger.slug})


UNPLAYABLE: dict[str, Callable[[Stranger, Match], None]] = {
    "its game fails": lambda stranger, match: stranger.spoil(standing=raises, ranks=raises),
    "its game hangs": lambda stranger, match: stranger.spoil(standing=loops, ranks=loops),
    "its position cannot be read": is_damaged,
    "its game is not offered any more": is_removed,
}


@pytest.mark.parametrize("why", UNPLAYABLE)
def test_an_account_can_be_erased_whatever_is_wrong_with_a_match(
    stranger: Stranger, match: Match, why: str
) -> None:
    ana, ben = (User.objects.get(username=name) for name in ("ana", "ben"))
    UNPLAYABLE[why](stranger, match)
    erase(ana, now=clock.now())
    match.refresh_from_db()
    assert match.is_over
    assert match.seats.get(user=ben).rank == 1
    assert not User.objects.filter(username="ana").exists()


@pytest.mark.parametrize("why", UNPLAYABLE)
def test_a_moderator_can_end_a_match_that_cannot_be_played(
    stranger: Stranger, match: Match, why: str
) -> None:
    UNPLAYABLE[why](stranger, match)
    adjudicate(match.pk, (1,), "Its rules have failed.", now=clock.now())
    match.refresh_from_db()
    assert match.is_over
    assert [seat.rank for seat in match.read_seats()] == [2, 1]


ENDS: dict[str, tuple[Callable[[Match], object], str, str]] = {
    "resigned": (
        lambda match: erase(User.objects.get(username="ana"), now=clock.now()),
        "[The match is over: you have won]",
        "player 1 resigns.",
    ),
    "adjudicated": (
        lambda match: adjudicate(match.pk, (0,), "Its rules have failed.", now=clock.now()),
        "[The match is over: you are number 2 of 2]",
        "A moderator ends the match: Its rules have failed.",
    ),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("why", UNPLAYABLE)
def test_players_are_told_how_a_match_has_ended_that_cannot_be_read(
    stranger: Stranger, match: Match, why: str, end: str
) -> None:
    delivery.send_queued()
    mail.outbox.clear()
    act, subject, how = ENDS[end]
    UNPLAYABLE[why](stranger, match)
    act(match)
    delivery.send_queued()
    letter = next(each for each in mail.outbox if each.to == ["ben@example.org"])
    text = " ".join(str(letter.body).split())
    assert letter.subject.startswith(subject)
    assert f"{match.code} is over." in text
    assert "The server cannot read this match any more" in text
    assert how in text
    assert "The result: 1. " in text
    assert "points" not in text
    assert not OutboxMessage.objects.filter(state="queued").exists()


@pytest.mark.parametrize("why", UNPLAYABLE)
def test_what_needs_no_board_is_mailed_though_the_match_cannot_be_read(
    stranger: Stranger, match: Match, why: str
) -> None:
    delivery.send_queued()
    mail.outbox.clear()
    UNPLAYABLE[why](stranger, match)
    say(match.pk, User.objects.get(username="ana"), "What is wrong here?", request_id="", now=clock.now())
    OutboxMessage.objects.update(available_at=clock.now())
    delivery.send_queued()
    (letter,) = mail.outbox
    assert "| What is wrong here?" in str(letter.body)


@pytest.mark.parametrize("line", ["take 1 from 1", "say Is it broken?", "board", "resign"])
@pytest.mark.parametrize("why", UNPLAYABLE)
def test_a_mail_about_a_match_that_cannot_be_read_is_answered(
    stranger: Stranger, match: Match, why: str, line: str
) -> None:
    """It was read again and again, or its answer could not be written; to resign took a code that never came."""
    seat = asked(match)
    assert seat.user
    UNPLAYABLE[why](stranger, match)
    expected = {"take": "game-failed", "say": "done"}.get(line.split()[0], "shown")
    assert codes(write(seat.user, line, to=seat.reply_address)) == [expected]
    text = " ".join(str(sent_to(seat.user)[-1].body).split())
    assert "The server cannot read this match now" in text
    assert ("have failed, and the match stands still" in text) == (expected == "game-failed")
    assert ("The code:" in text) == (line == "resign")


@pytest.mark.parametrize("why", UNPLAYABLE)
def test_an_answer_about_a_match_that_cannot_be_read_shows_what_it_can(
    stranger: Stranger, match: Match, why: str
) -> None:
    """The help was dropped with the board, below "here is what you asked for"; each line had the same reason."""
    seat = asked(match)
    assert seat.user
    UNPLAYABLE[why](stranger, match)
    shown = []
    for body in ("board\nhelp", "board", "take 1 from 1\ntake 2 from 2\ntake 3 from 3"):
        write(seat.user, body, to=seat.reply_address)
        shown.append(" ".join(str(sent_to(seat.user)[-1].body).split()))
    assert "here is what you asked for" in shown[0]
    assert "To look and to talk:" in shown[0]
    assert "nothing of this match can be shown now" in shown[1]
    assert "* take 2 from 2 * take 3 from 3 " in shown[2]
