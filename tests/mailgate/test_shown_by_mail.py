"""help, status, board, log, rules, address new, unsubscribe and stop."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from games import registry
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.mailgate.lines.commands import COMMAND_WORDS, Command, MoveLine, read_lines
from gemserver.mailgate.lines.meaning import reading_error
from gemserver.mailgate.reading.html_text import html_to_text
from gemserver.matches.models import Match, Seat
from tests.builders import asked, make_match, make_user, play
from tests.mailgate.posting import account_address, codes, one_line, sent_to, write

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def test_help_lists_every_command(seat: Seat, player: User) -> None:
    write(player, "help", to=seat.reply_address)
    text = str(sent_to(player)[-1].body)
    for word in COMMAND_WORDS - {"end", "stop", "confirm"}:
        assert word in text, word


def test_help_as_html_is_a_list_and_no_line_of_it_a_command(seat: Seat, player: User) -> None:
    """A client may send it back without any mark of quoting (mail-requirements.md Q3)."""
    write(player, "help", to=seat.reply_address)
    html = str(sent_to(player)[-1].alternatives[0][0])
    shown = html.partition("What you can write")[2].partition("end alone on a line")[0]
    assert "<code>tutorial GAME</code>: learn a game" in shown
    assert "*" not in shown
    assert not any(isinstance(read, Command) for read in read_lines(html_to_text(shown)))


def test_hint_and_review_stand_with_what_one_looks_at(seat: Seat, player: User) -> None:
    write(player, "help", to=seat.reply_address)
    looks = str(sent_to(player)[-1].body).partition("To look and to talk:")[2].partition("Tables,")[0]
    assert "* hint: " in looks
    assert "* review, review M17: " in looks


@pytest.mark.parametrize("line", ["help", "games", "rules", "log", "M1: board"])
def test_no_line_of_what_is_shown_is_a_command(seat: Seat, player: User, line: str) -> None:
    """A client may send our mail back without any mark of quoting (mail-requirements.md Q3)."""
    make_match(players=[player, make_user("cy")], now=clock.now())
    write(player, line, to=None if ":" in line or line == "games" else seat.reply_address)
    for read in read_lines(str(sent_to(player)[-1].body)):
        assert not isinstance(read, Command), read
        if isinstance(read, MoveLine):
            assert reading_error(seat.match, seat, read.text) is not None, read


def test_the_log_tells_the_moves_as_this_player_may_know_them(match: Match, seat: Seat, player: User) -> None:
    play(match, seat.index, "bid 1")
    assert codes(write(player, "log", to=seat.reply_address)) == ["shown"]
    assert "1. You bid 1." in one_line(sent_to(player)[-1])


@pytest.mark.parametrize("game", list(registry.GAMES))
def test_the_rules_come_as_plain_text(game: str) -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(game, players=players, now=clock.now())
    seat = match.seats.select_related("user").get(index=0)
    write(players[0], "rules", to=seat.reply_address)
    message = sent_to(players[0])[-1]
    shown = str(message.body).partition("The rules\n")[2].partition("\nOn the web")[0]
    for mark in ("**", "](", "`", "|", "\n#", "\n  #"):
        assert mark not in shown, mark
    assert "WHAT TO WRITE" in shown
    html = str(message.alternatives[0][0])
    assert "<p" in html.partition("The rules</p>")[2].partition("</p>")[0], (
        "a phone fits the lines to its width"
    )
    assert len(message.message().as_bytes()) < 100_000


def test_board_and_log_at_the_account_need_the_match(match: Match, player: User) -> None:
    assert codes(write(player, "log\nboard\nrules")) == ["no-match"] * 3
    assert codes(write(player, f"{match.code}: board\nM99: log")) == ["shown", "not-seated"]
    assert f"GEM {match.code}" in one_line(sent_to(player)[-1])


def test_status_at_the_account_lists_the_matches(match: Match, player: User) -> None:
    write(player, "status")
    assert f"It is your turn: * GEM {match.code}" in one_line(sent_to(player)[-1])


def test_status_says_who_has_how_much_time_and_if_the_match_is_rated(player: User) -> None:
    control = TimeControl(14 * DAY, DAY, 14 * DAY)
    match = make_match(players=[player, make_user("dora")], time_control=control, now=clock.now())
    first = asked(match)
    assert first.user
    assert (
        "By then your bank is used up: 14 days when you were asked. Each move adds 1 day, up to 14 days."
        in (one_line(sent_to(first.user)[-1]))
    )
    play(match, first.index, "bid 1", now=clock.now() + 5 * DAY)
    own = match.seats.get(user=player)
    for to, line in ((None, f"{match.code}: status"), (own.reply_address, "status")):
        assert codes(write(player, line, to=to)) == ["shown"]
        told = one_line(sent_to(player)[-1])
        assert re.search(
            r"\* [AB] \S+: to move, until .{10,40}\(in \d+ days\), 14 days in the bank when asked \*", told
        )
        assert re.search(r"\* [AB] \S+: 10 days in the bank \*", told)
        assert "The result does not count for ratings." in told


def test_status_at_the_account_says_until_when_one_waits_for_others(player: User) -> None:
    match = make_match(players=[player, make_user("dora")], now=clock.now())
    if asked(match).user == player:
        play(match, asked(match).index, "bid 1", now=clock.now())
    write(player, "status")
    assert f"You wait for others: * GEM {match.code}, due " in one_line(sent_to(player)[-1])


def test_address_new_kills_the_old_address_of_the_seat(seat: Seat, player: User) -> None:
    """mail-requirements.md A4."""
    old = seat.reply_address
    assert codes(write(player, "address new", to=old)) == ["done"]
    receipt = sent_to(player)[-1]
    seat.refresh_from_db()
    assert receipt.reply_to == [seat.reply_address]
    assert seat.reply_address != old
    assert old not in str(receipt.body)
    assert write(player, "bid 1", to=old).code == "former-address"


def test_address_new_kills_the_old_address_of_the_account(player: User) -> None:
    old = account_address(player)
    assert codes(write(player, "address new")) == ["done"]
    fresh = User.objects.get(pk=player.pk)
    assert account_address(fresh) != old
    assert sent_to(player)[-1].reply_to == [account_address(fresh)]
    assert write(player, "games", to=old).state == "dropped"


@pytest.mark.parametrize("text", ["unsubscribe", "Stop.", "stop\n\n-- \nAna"])
def test_stop_when_it_is_all_there_is_ends_the_mails(player: User, text: str) -> None:
    """mail-requirements.md U3."""
    assert codes(write(player, text)) == ["done"]
    assert User.objects.get(pk=player.pk).mail_mode == "off"


def test_stop_among_other_lines_does_nothing(player: User) -> None:
    """mail-requirements.md U3."""
    assert codes(write(player, "games\nstop"))[-1] == "not-alone"
    assert User.objects.get(pk=player.pk).mail_mode == "turns"
