"""Hosts of waiting tables: they change the terms, to which the others agree again, and remove players."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core import mail

from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.matches import tables
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.answer_invitation import accept_invitation, decline_invitation
from gemserver.matches.actions.tables.change_terms import MOST_CHANGES, change_terms
from gemserver.matches.actions.tables.invite import invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.remove_player import remove_player, remove_player_called
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_user
from tests.mailgate.letters import receive_at
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
TERMS = Terms(game="gem", seats=3, time_control=PRESETS["3d"], is_rated=True)
SLOW = replace(TERMS, time_control=PRESETS["7d+1d"])


@pytest.fixture
def table(ana: User, ben: User) -> Match:
    """Ana's table for three, where Ben sits too."""
    match = open_table(ana, TERMS, now=NOON)
    join_table(match.pk, ben, now=NOON)
    return match


def seat_of(match: Match, user: User) -> Seat:
    return match.seats.get(user=user)


def told(kind: str) -> list[User | None]:
    return [row.user for row in OutboxMessage.objects.filter(kind=kind).select_related("user")]


def test_the_others_keep_their_seats_and_are_told_the_new_terms(table: Match, ana: User, ben: User) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    table.refresh_from_db()
    assert table.time_control == PRESETS["7d+1d"]
    assert not seat_of(table, ben).has_agreed
    assert seat_of(table, ana).has_agreed
    assert told("terms-changed") == [ben]
    delivery.send_queued()
    text = str(mail.outbox[-1].body)  # type: ignore[attr-defined]
    assert "Each player has 7" in text.replace("\xa0", " ")
    assert f"join {table.code}" in text
    assert f"{table.code}: leave" in text


def test_the_match_begins_only_when_all_agree(table: Match, ana: User, ben: User) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    join_table(table.pk, make_user("cy"), now=NOON)
    table.refresh_from_db()
    assert table.is_open
    join_table(table.pk, ben, now=NOON + SECOND)
    table.refresh_from_db()
    assert table.is_running
    assert table.time_control == PRESETS["7d+1d"]


def test_bots_in_the_last_seats_do_not_begin_it_either(table: Match, ana: User) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    assert fill_with_bots(table.pk, Seat.Bot.EASY, by=ana, now=NOON).is_open


def test_nobody_starts_it_by_hand_before(ana: User, ben: User) -> None:
    by_hand = replace(TERMS, seats=2, starts_when_full=False)
    match = open_table(ana, by_hand, now=NOON)
    join_table(match.pk, ben, now=NOON)
    change_terms(match.pk, replace(by_hand, free_weekends=True), by=ana, now=NOON)
    with pytest.raises(Refused, match="still asked: ben"):
        start_match(match.pk, by=ana, now=NOON)
    join_table(match.pk, ben, now=NOON)
    assert start_match(match.pk, by=ana, now=NOON).is_running


def test_fewer_seats_begin_a_table_at_which_all_agree(ana: User) -> None:
    match = open_table(ana, replace(TERMS, seats=3, bots=[Seat.Bot.EASY], is_rated=False), now=NOON)
    assert change_terms(match.pk, replace(TERMS, seats=2, is_rated=False), by=ana, now=NOON).is_running


def test_who_agrees_to_terms_that_have_changed_again_is_told(table: Match, ana: User, ben: User) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    change_terms(table.pk, replace(SLOW, free_weekends=True), by=ana, now=NOON)
    with pytest.raises(Refused, match="have changed again"):
        join_table(table.pk, ben, terms=1, now=NOON)
    assert not seat_of(table, ben).has_agreed
    join_table(table.pk, ben, terms=2, now=NOON)
    assert seat_of(table, ben).has_agreed


def test_the_same_terms_again_ask_nobody(table: Match, ana: User, ben: User) -> None:
    change_terms(table.pk, TERMS, by=ana, now=NOON)
    assert told("terms-changed") == []
    assert seat_of(table, ben).has_agreed


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        (replace(TERMS, seats=9), "wrong-seats"),
        (replace(TERMS, vacation_days=1000), "bad-vacation"),
        (replace(SLOW, seats=2), None),
    ],
)
def test_terms_have_the_bounds_of_a_new_table(
    table: Match, ana: User, terms: Terms, code: str | None
) -> None:
    if code is None:
        change_terms(table.pk, terms, by=ana, now=NOON)
        return
    with pytest.raises(Refused) as refused:
        change_terms(table.pk, terms, by=ana, now=NOON)
    assert refused.value.code == code
    table.refresh_from_db()
    assert table.terms_changes == 0


def test_no_fewer_seats_than_are_taken(table: Match, ana: User) -> None:
    join_table(
        change_terms(table.pk, replace(TERMS, seats=4), by=ana, now=NOON).pk, make_user("cy"), now=NOON
    )
    with pytest.raises(Refused, match="3 seats of"):
        change_terms(table.pk, replace(TERMS, seats=2), by=ana, now=NOON)


def test_options_that_name_each_seat_bind_their_number(ana: User) -> None:
    match = open_table(ana, replace(TERMS, game="florentine", seats=3), now=NOON)
    with pytest.raises(Refused, match="opened for 3 seats"):
        change_terms(match.pk, replace(TERMS, seats=2), by=ana, now=NOON)
    options = match.options
    change_terms(match.pk, SLOW, by=ana, now=NOON)
    match.refresh_from_db()
    assert match.options == options


def test_only_the_host_does_it_and_not_without_end(table: Match, ana: User, ben: User) -> None:
    for act in (
        lambda: change_terms(table.pk, SLOW, by=ben, now=NOON),
        lambda: remove_player(table.pk, seat_of(table, ana).pk, by=ben, now=NOON),
    ):
        with pytest.raises(Refused, match="Only the host"):
            act()
    for number in range(MOST_CHANGES):
        change_terms(table.pk, replace(TERMS, vacation_days=number), by=ana, now=NOON)
    with pytest.raises(Refused, match="open another table"):
        change_terms(table.pk, SLOW, by=ana, now=NOON)


def test_a_mail_about_terms_is_not_sent_to_whoever_has_agreed_or_left(
    table: Match, ana: User, ben: User
) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    leave_table(table.pk, ben, now=NOON)
    delivery.send_queued()
    assert OutboxMessage.objects.get(kind="terms-changed").state == OutboxMessage.State.SKIPPED


def test_a_mail_agrees_or_leaves(table: Match, ana: User, ben: User) -> None:
    change_terms(table.pk, SLOW, by=ana, now=NOON)
    address = f"me+{ben.token}@gem.localhost"
    raw = f"From: {ben.email}\nTo: {address}\nSubject: x\nMessage-ID: <1@x.example>\n\njoin {table.code}\n"
    row = receive_at(address, raw.encode(), sender=ben.email, at=NOON)
    assert row.state == "done", row.code
    assert seat_of(table, ben).has_agreed


def test_a_removed_player_is_told_and_does_not_come_back_by_themselves(
    table: Match, ana: User, ben: User
) -> None:
    remove_player(table.pk, seat_of(table, ben).pk, by=ana, now=NOON)
    assert told("removed") == [ben]
    delivery.send_queued()
    assert "has given your seat there back" in " ".join(str(mail.outbox[-1].body).split())  # type: ignore[attr-defined]
    for link in ("", table.link_token):
        with pytest.raises(Refused, match="only an invitation"):
            join_table(table.pk, ben, link=link, now=NOON)
    assert not tables.open_to_all(ben).exists()
    assert tables.open_to_all(make_user("cy")).exists()


def test_an_earlier_invitation_lets_them_in_no_more_but_a_new_one_does(
    table: Match, ana: User, ben: User
) -> None:
    remove_player_called(table.pk, "BEN", by=ana, now=NOON)
    invitation = tables.invitations_to(ben).get(match=table)
    with pytest.raises(Refused, match="taken back"):
        accept_invitation(invitation.pk, ben, now=NOON)
    with pytest.raises(Refused, match="nothing to take back"):
        withdraw_invitation(invitation.pk, ana, now=NOON)
    invite(table.pk, ana, "ben", now=NOON)
    assert [each.invited_by for each in tables.open_invitations(ben)] == [ana]
    join_table(table.pk, ben, now=NOON)
    assert seat_of(table, ben)


@pytest.mark.parametrize("is_declined", [False, True], ids=["taken back", "declined"])
def test_an_invitation_that_does_not_stand_lets_no_removed_player_in(
    is_declined: bool, table: Match, ana: User, ben: User
) -> None:
    """It took the place of the removal: who was invited by another, and uninvited by the host, came back."""
    cy = make_user("cy")
    remove_player_called(table.pk, "ben", by=ana, now=NOON)
    join_table(table.pk, cy, now=NOON)
    invited = invite(table.pk, cy, "ben", now=NOON)
    if is_declined:
        decline_invitation(invited.pk, now=NOON)
    else:
        withdraw_invitation(invited.pk, ana, now=NOON)
    with pytest.raises(Refused, match="only an invitation"):
        join_table(table.pk, ben, now=NOON)
    assert not tables.open_to_all(ben).exists()


def test_whoever_sits_behind_moves_up_and_a_bot_can_be_removed(table: Match, ana: User, ben: User) -> None:
    fill = open_table(ana, replace(TERMS, seats=3, starts_when_full=False, is_rated=False), now=NOON)
    fill_with_bots(fill.pk, Seat.Bot.EASY, number=1, by=ana, now=NOON)
    join_table(fill.pk, ben, now=NOON)
    bot = fill.seats.get(bot=Seat.Bot.EASY)
    remove_player(fill.pk, bot.pk, by=ana, now=NOON)
    assert [(seat.index, seat.user) for seat in fill.seats.select_related("user")] == [(0, ana), (1, ben)]
    remove_player(fill.pk, bot.pk, by=ana, now=NOON)
    assert fill.seats.count() == 2
    with pytest.raises(Refused, match="your own seat"):
        remove_player(fill.pk, seat_of(fill, ana).pk, by=ana, now=NOON)


def test_the_page_offers_it_to_the_host_and_asks_the_others(table: Match, ana: User, ben: User) -> None:
    host, other = signed_in(ana), signed_in(ben)
    page = read_main(host.get(table.get_absolute_url()))
    assert ("do", "remove") in page.buttons
    form = read_main(host.get(f"/m/{table.code}/terms/"))
    assert "The game and its options stay" in form.text
    fields = {"seats": "3", "clock": "7d+1d", "access": "anyone", "rated": "no", "absence": "default"}
    said = read_main(host.post(f"/m/{table.code}/terms/", fields, follow=True))
    assert "The others are asked to agree" in said.text or "has not agreed to the new terms yet" in said.text
    asked = read_main(other.get(table.get_absolute_url()))
    assert ("do", "agree") in asked.buttons
    assert ("do", "remove") not in asked.buttons
    other.post(f"/m/{table.code}/table/", {"do": "agree", "terms": asked.fields["terms"]})
    assert seat_of(table, ben).has_agreed
    assert other.get(f"/m/{table.code}/terms/").status_code == 302
    host.post(f"/m/{table.code}/table/", {"do": "remove", "seat": seat_of(table, ben).pk})
    assert "The host has given your seat here back" in read_main(other.get(table.get_absolute_url())).text


def test_what_was_typed_stays_when_it_is_refused(table: Match, ana: User) -> None:
    fields = {"seats": "3", "clock": "own", "bank": "1", "increment": "0", "cap": "1", "access": "anyone"}
    answer = signed_in(ana).post(f"/m/{table.code}/terms/", {**fields, "rated": "yes", "absence": "default"})
    assert answer.status_code == 422
    assert read_main(answer).fields["bank"] == "1"
    table.refresh_from_db()
    assert table.terms_changes == 0
