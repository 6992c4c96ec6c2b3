"""Where there are too many moves to list, a turn mail offers some that are likely, and says that there are more."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core import mail

from gemserver.accounts.models import User
from gemserver.matches import replay, selectors
from gemserver.matches.mails.about_match import ONE_TAP_MOVES
from gemserver.matches.models import Match
from gemserver.notify import delivery
from tests.builders import is_asked, make_match, make_user, play, play_until

pytestmark = pytest.mark.django_db


def _turn_with_many_moves(slug: str, player: User) -> Match:
    match = make_match(slug, players=[player, make_user("ben")], server_part="5eed" * 16)

    def is_reached(reached: Match) -> bool:
        if reached.ply < 4 or not is_asked(player)(reached):
            return False
        return selectors.legal_texts(reached, reached.seats.get(user=player), ONE_TAP_MOVES) is None

    return play_until(match, is_reached)


def _last_turn_mail(player: User) -> tuple[str, str]:
    mail.outbox.clear()
    delivery.send_queued()
    *_, turn = [
        sent
        for sent in mail.outbox
        if sent.to == [player.email] and "<t." in sent.extra_headers["Message-ID"]
    ]
    return str(turn.body), str(turn.alternatives[0][0])  # type: ignore[attr-defined]


def _number_of_listed(text: str) -> int:
    """The number of moves that this mail says it lists, of more that there are."""
    listed, _, count = re.findall(r"Listed here: (\d+) of (more than )?(\d+) ways", " ".join(text.split()))[0]
    assert int(count) > int(listed)
    return int(listed)


@pytest.mark.parametrize("slug", ["florentine", "gembatan"])
def test_likely_moves_are_ready_replies_and_the_listed_ones_examples(slug: str) -> None:
    player = make_user("ana")
    match = _turn_with_many_moves(slug, player)
    text, html = _last_turn_mail(player)
    seat = match.seats.get(user=player)
    bodies = [
        parse_qs(urlsplit(unescape(link)).query)["body"][0]
        for link in re.findall(r'href="(mailto:[^"]*)"', html)
    ]
    moves = [body.removesuffix(f" #{seat.prompt_ply}") for body in bodies]
    assert 1 <= len(moves) <= 3
    assert moves == sorted(moves), "nothing says which is the best"
    assert len({tuple(move.split()[:2]) for move in moves}) == len(moves), "each plays another piece"
    for move in moves:
        assert len(move) <= 60, "a reply in three lines would pass for a quote of our mail"
        match.rules.parse(replay.position(match), seat.index, move)
    listed = re.findall(r"^To play, write:  (.+)$", text, re.MULTILINE)
    shown = moves + re.findall(r"To play, write:\s+([^<\n]+)", html)
    assert _number_of_listed(text) == len(listed)
    assert _number_of_listed(html) == len(shown)
    play(match, seat.index, moves[-1])


def test_where_all_moves_are_listed_none_is_called_an_example() -> None:
    player = make_user("ana")
    play_until(make_match(players=[player, make_user("ben")]), is_asked(player))
    text, html = _last_turn_mail(player)
    assert "Listed here" not in text + html
    assert "Choose a move" in html


def test_a_text_that_lists_fewer_than_the_buttons_says_so() -> None:
    """In the HTML every bid is a button; the text lists the lowest, and says of how many."""
    player = make_user("ana")
    match = make_match("gem", players=[player, make_user("ben")], server_part="5eed" * 16)

    def is_reached(reached: Match) -> bool:
        if not is_asked(player)(reached):
            return False
        texts = selectors.legal_texts(reached, reached.seats.get(user=player), ONE_TAP_MOVES)
        return texts is not None and len(texts) > 10

    match = play_until(match, is_reached)
    ways = selectors.legal_texts(match, match.seats.get(user=player), ONE_TAP_MOVES)
    assert ways is not None
    text, html = _last_turn_mail(player)
    assert f"of {len(ways)} ways" in " ".join(text.split())
    assert "Listed here" not in html
