"""A game in which cards lie face down in one half of a round, and goods are loaded openly, in turn, in the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

from games import registry
from games.record import read_record
from games.verify import verify
from gemserver.matches import records, replay
from gemserver.matches.models import Match, SealedOrder
from gemserver.matches.offered.offered_games import offer_games
from tests.builders import make_match, make_user, play, play_to_the_end
from tests.matches.test_games_of_others import forget_what_was_read
from tests.strangers import copy_example, installed

pytestmark = pytest.mark.django_db


@pytest.fixture
def quay(tmp_path: Path, settings) -> Iterator[str]:
    with installed(copy_example(tmp_path)) as slug:
        settings.GAMES = [slug]
        offer_games()
        forget_what_was_read()
        yield slug
    forget_what_was_read()


def play_default(match: Match) -> None:
    """Whoever is asked first plays the default move."""
    seat = min(match.seats.filter(is_waiting=True).values_list("index", flat=True))
    rules = registry.GAMES[match.game].rules
    play(match, seat, rules.write(rules.default_move(replay.position(Match.objects.get(pk=match.pk)), seat)))


def test_only_what_lies_face_down_is_kept_as_a_sealed_order(quay: str) -> None:
    match = play_to_the_end(make_match(quay, [make_user("ana"), make_user("ben")]))
    kept = SealedOrder.objects.filter(match=match).values_list("text", flat=True)
    assert {text.split()[0] for text in kept} == {"offer"}
    assert verify(read_record(records.record_text(match))).is_complete


def test_only_a_card_is_sealed_and_a_good_is_played(quay: str, client: Client) -> None:
    people = [make_user("ana"), make_user("ben")]
    match = make_match(quay, people)
    client.force_login(people[0])
    assert ">Seal it</button>" in client.get(match.get_absolute_url()).content.decode()
    play_default(match)
    play_default(match)
    client.force_login(people[match.seats.get(is_waiting=True).index])
    page = client.get(match.get_absolute_url()).content.decode()
    assert ">Seal it</button>" not in page
    assert ">Play</button>" in page
