"""Players' own parts of the seed: given while the table waits, shown as fingerprints, kept when others leave."""

from __future__ import annotations

from hashlib import sha256

import pytest

from games import deal
from gemserver.matches import replay
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.give_part import give_part
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from tests.builders import NOON, make_table, make_user

pytestmark = pytest.mark.django_db


def fingerprint(words: str) -> str:
    return sha256(words.encode()).hexdigest()


def test_a_part_is_the_fingerprint_of_the_words_and_the_seed_follows_from_it() -> None:
    table = make_table(seats=2)
    ana, ben = make_user("ana"), make_user("ben")
    join_table(table.pk, ana, now=NOON)
    join_table(table.pk, ben, now=NOON)
    assert give_part(table.pk, ana, "  seven brown owls ", now=NOON).part == fingerprint("seven brown owls")
    start_match(table.pk, by=ana, now=NOON)
    match = Match.objects.get(pk=table.pk)
    parts = [fingerprint("seven brown owls"), deal.default_part(match.server_part, 1)]
    assert replay.seed(match) == sha256("|".join([match.server_part, *parts]).encode()).hexdigest()


def test_a_part_may_be_replaced_until_the_start_and_not_after_it() -> None:
    table = make_table(seats=2)
    ana, ben = make_user("ana"), make_user("ben")
    join_table(table.pk, ana, now=NOON)
    give_part(table.pk, ana, "one", now=NOON)
    assert give_part(table.pk, ana, "two", now=NOON).part == fingerprint("two")
    join_table(table.pk, ben, now=NOON)
    start_match(table.pk, by=ana, now=NOON)
    with pytest.raises(Refused, match="not-open"):
        give_part(table.pk, ana, "three", now=NOON)
    assert table.seats.get(user=ana).part == fingerprint("two")


@pytest.mark.parametrize(("words", "code"), [(" ", "no-words"), ("x" * 501, "too-many-words")])
def test_words_that_make_no_part_are_refused(words: str, code: str) -> None:
    table = make_table(seats=2)
    ana = make_user("ana")
    join_table(table.pk, ana, now=NOON)
    with pytest.raises(Refused, match=code):
        give_part(table.pk, ana, words, now=NOON)
    with pytest.raises(Refused, match="not-seated"):
        give_part(table.pk, make_user("dee"), "words", now=NOON)


def test_who_moves_up_keeps_an_own_part_and_gets_the_default_one_of_the_new_seat() -> None:
    table = make_table(seats=4)
    ana, ben, cy = make_user("ana"), make_user("ben"), make_user("cy")
    for user in (ana, ben, cy):
        join_table(table.pk, user, now=NOON)
    give_part(table.pk, ben, "owls", now=NOON)
    leave_table(table.pk, ana, now=NOON)
    assert table.seats.get(user=ben).part == fingerprint("owls")
    assert table.seats.get(user=cy).part == deal.default_part(table.server_part, 1)
