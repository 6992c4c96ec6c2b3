"""The waiting process reads the turns of many at once: those that each of them is shown."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.seats.ask_sitter import end_sitting
from gemserver.matches.models import Match
from gemserver.matches.own_matches import find_all_turns, find_players, find_turns
from tests.builders import NOON, asked, make_match, make_user
from tests.matches.sitters.sitting import HOUR, sit

pytestmark = pytest.mark.django_db


def require_same() -> int:
    """The turns of everybody, which must be those that each of them is shown."""
    everybody = list(User.objects.all())
    found = find_all_turns([user.pk for user in everybody], NOON)
    assert found == {user.pk: turns for user in everybody if (turns := frozenset(find_turns(user, NOON)))}
    return sum(map(len, found.values()))


def test_the_turns_of_all_are_those_of_each(match: Match, eva: User) -> None:
    other = make_match("gembatan", [eva, make_user("finn")], now=NOON)
    before = require_same()
    sitting = sit(match, eva)
    assert require_same() == before + 1, "holder and sitter have the turn"
    end_sitting(sitting.pk, sitting.player, now=NOON)
    assert require_same() == before
    assert find_all_turns([], NOON) == {}
    assert other.seats.filter(user=eva).exists()


def test_everybody_whose_turns_a_match_may_change_is_found(match: Match, eva: User) -> None:
    players = {user for (user,) in match.seats.exclude(user=None).values_list("user")}
    assert find_players([match.pk]) == players
    sitting = sit(match, eva)
    assert find_players([match.pk]) == players | {eva.pk}
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert eva.pk in find_players([match.pk]), "who has just lost the turn is to hear of it"
    assert find_players([]) == set()
    assert asked(match).user_id in players
