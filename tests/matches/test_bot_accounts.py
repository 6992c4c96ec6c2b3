"""Bot accounts: made for good by their owner, marked everywhere, and only where bots are welcome."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.db import IntegrityError, transaction
from django.test import Client

from gemserver.accounts import bans
from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import tables
from gemserver.matches.actions.people.open_bot import MOST_BOTS, offer_practice, open_bot
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.play.propose_undo import agree_to_undo, propose_undo
from gemserver.matches.actions.seats.ask_sitter import propose_sitting
from gemserver.matches.actions.seats.hand_over import reassign_seat, take_seat
from gemserver.matches.actions.tables.invite import TO_BOTS_AND_DAY, TO_ONE_BOT_AND_DAY, invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.start_practice import practise_with
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.bot_accounts import AWAKE, is_among_people, practice_partners
from gemserver.matches.models import Holiday, Match, Undo
from gemserver.matches.records import record_text
from gemserver.matches.refusal import Refused
from gemserver.moderation.mails import banned, tell_banned
from gemserver.notify.models import OutboxMessage
from gemserver.operating.retention import UNCONFIRMED, _unconfirmed_accounts
from tests.api.programs import Program, code_of
from tests.builders import NOON, THREE_DAYS, make_match, make_user, play_to_the_end, play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def bot(ana: User) -> User:
    return open_bot(ana, "Tin", now=NOON)


def _table(creator: User | None = None, *, seats: int = 2, allows_bots: bool = True, **more: Any) -> Match:
    terms = Terms(game="gem", seats=seats, time_control=THREE_DAYS, allows_bots=allows_bots, **more)
    return open_table(creator, terms, now=NOON)


def _code(refused: pytest.ExceptionInfo[Refused]) -> str:
    return refused.value.code


def test_nobody_signs_in_to_a_bot_and_it_gets_no_mail(bot: User, ben: User) -> None:
    assert authenticate(username="Tin", password="") is None
    assert not bot.has_usable_password()
    assert bot.mail_address() is None
    make_match(players=[ben, bot])
    assert not OutboxMessage.objects.filter(user=bot).exists()


def test_a_bot_can_have_no_role(bot: User) -> None:
    for field in ({"role": 30}, {"is_superuser": True}, {"is_guest": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.filter(pk=bot.pk).update(**field)


def test_the_number_of_bots_is_bounded_and_bots_have_none(ana: User, bot: User) -> None:
    for number in range(1, MOST_BOTS):
        open_bot(ana, f"Tin {number}", now=NOON)
    with pytest.raises(Refused) as refused:
        open_bot(ana, "One more", now=NOON)
    assert _code(refused) == "too-many-bots"
    with pytest.raises(Refused) as refused:
        open_bot(bot, "Its own", now=NOON)
    assert _code(refused) == "not-a-person"


@pytest.mark.parametrize(
    ("name", "code"), [("ANA", "name-taken"), ("Tin (bot)", "bad-name"), ("", "bad-name")]
)
def test_names_of_bots_are_names(ana: User, name: str, code: str) -> None:
    with pytest.raises(Refused) as refused:
        open_bot(ana, name, now=NOON)
    assert _code(refused) == code


def test_no_person_can_pass_for_a_bot_nor_a_bot_for_a_person(ana: User, bot: User) -> None:
    assert bot.shown_name == "Tin (bot)"
    with pytest.raises(Refused):
        rename(ana, "ana (bot)")


def test_the_mark_stands_in_seats_records_and_answers(bot: User, ben: User) -> None:
    match = make_match(players=[ben, bot], now=clock.now())
    assert [seat.name for seat in match.read_seats()] == ["ben", "Tin (bot)"]
    shown = Program.of(ben).get(f"matches/{match.code}").json()
    assert [(person["name"], person["kind"]) for person in shown["seats"]] == [
        ("ben", "person"),
        ("Tin (bot)", "bot"),
    ]
    assert "ben | Tin (bot)" in record_text(match)
    page = Client().get(match.get_absolute_url()).content.decode()
    assert "Tin (bot)" in page


def test_bots_sit_only_where_they_are_welcome(bot: User, ben: User) -> None:
    match = _table(ben, allows_bots=False)
    with pytest.raises(Refused) as refused:
        join_table(match.pk, bot, now=NOON)
    assert _code(refused) == "no-bots"
    with pytest.raises(Refused) as refused:
        join_table(match.pk, bot, link=match.link_token, now=NOON)
    assert _code(refused) == "no-bots"
    with pytest.raises(Refused) as refused:
        invite(match.pk, ben, "Tin", now=NOON)
    assert _code(refused) == "no-bots"
    welcome = _table(ben)
    assert list(tables.open_to_all(bot)) == [welcome]
    join_table(welcome.pk, bot, now=NOON)


def test_the_table_of_a_bot_allows_bots(bot: User) -> None:
    assert _table(bot, allows_bots=False).allows_bots


def test_a_rematch_is_open_to_the_bots_of_the_match_before(bot: User, ben: User) -> None:
    match = _table(ben)
    join_table(match.pk, bot, now=NOON)
    match.refresh_from_db()
    play_to_the_end(match)
    again = open_rematch(match.pk, ben, now=NOON)
    join_table(again.pk, bot, now=NOON)


def test_an_invitation_is_no_mail_and_is_answered_by_api(bot: User, ben: User) -> None:
    match, other = (_table(ben, access=Match.Access.INVITED) for _ in range(2))
    for each in (match, other):
        invite(each.pk, ben, "Tin (bot)", now=NOON)
    assert not OutboxMessage.objects.filter(kind="invitation").exists()
    program = Program.of(bot)
    offered = program.get("invitations").json()["invitations"]
    assert [(each["match"], each["by"]) for each in offered] == [(match.code, "ben"), (other.code, "ben")]
    assert program.post(f"tables/{other.code}/decline").status_code == 200
    assert code_of(program.post(f"tables/{other.code}/decline")) == "no-invitation"
    assert program.post(f"tables/{match.code}/join", {}).status_code == 200
    assert program.get("invitations").json()["invitations"] == []


@pytest.mark.slow
def test_bots_may_be_invited_oftener_than_people_but_not_without_end(bot: User) -> None:
    """Thirty of one stranger's kept everybody else from inviting the bot that day."""
    stranger, other = make_user("stranger"), make_user("other")
    for _ in range(TO_ONE_BOT_AND_DAY):
        table = _table(stranger, access=Match.Access.INVITED)
        invite(table.pk, stranger, "Tin", now=NOON)
        cancel_table(table.pk, by=stranger, now=NOON)
    with pytest.raises(Refused) as refused:
        invite(_table(stranger, access=Match.Access.INVITED).pk, stranger, "Tin", now=NOON)
    assert _code(refused) == "too-many-invitations"
    invite(_table(other, access=Match.Access.INVITED).pk, other, "Tin", now=NOON)


@pytest.mark.slow
def test_one_person_invites_thirty_bots_a_day(ana: User) -> None:
    host = make_user("host")
    bots = [make_user(f"bot{number}", owner=ana).username for number in range(4)]
    for number in range(TO_BOTS_AND_DAY):
        table = _table(host, access=Match.Access.INVITED)
        invite(table.pk, host, bots[number % 3], now=NOON)
        cancel_table(table.pk, by=host, now=NOON)
    with pytest.raises(Refused, match="30 invitations within a day"):
        invite(_table(host, access=Match.Access.INVITED).pk, host, bots[3], now=NOON)


def test_one_person_has_no_two_hands_beside_others(ana: User, ben: User, bot: User) -> None:
    match = _table(ben, seats=3)
    join_table(match.pk, bot, now=NOON)
    for second in (ana, open_bot(ana, "Zinc", now=NOON)):
        with pytest.raises(Refused) as refused:
            join_table(match.pk, second, now=NOON)
        assert _code(refused) == "one-hand"
    among_themselves = _table(ana, seats=3)
    join_table(among_themselves.pk, bot, now=NOON)
    with pytest.raises(Refused) as refused:
        join_table(among_themselves.pk, ben, now=NOON)
    assert _code(refused) == "one-hand"


def test_a_bot_sits_for_nobody_where_bots_are_not_welcome(ana: User, ben: User, bot: User) -> None:
    cy = make_user("cy")
    today = NOON.date()
    people = make_match(players=[ben, cy])
    with pytest.raises(Refused) as refused:
        propose_sitting(people.pk, ben, "Tin", today, today, now=NOON)
    assert _code(refused) == "no-bots"
    with pytest.raises(Refused) as refused:
        reassign_seat(people.pk, 0, bot, "why", now=NOON)
    assert _code(refused) == "no-bots"
    reassign_seat(people.pk, 0, None, "away", is_open=True, now=NOON)
    with pytest.raises(Refused) as refused:
        take_seat(people.pk, 0, bot, now=NOON)
    assert _code(refused) == "no-bots"
    Match.objects.filter(pk=people.pk).update(allows_bots=True)
    assert propose_sitting(people.pk, cy, "Tin (bot)", today, today, now=NOON).sitter == bot


def test_an_owner_gets_no_seat_beside_the_own_bot(ana: User, ben: User, bot: User) -> None:
    match = make_match(players=[ben, bot, make_user("cy")])
    reassign_seat(match.pk, 2, None, "away", is_open=True, now=NOON)
    with pytest.raises(Refused) as refused:
        take_seat(match.pk, 2, ana, now=NOON)
    assert _code(refused) == "has-seen"


def test_only_matches_among_people_could_be_rated(ana: User, ben: User, bot: User) -> None:
    def is_rated(*players: User, bots: int = 0) -> bool:
        return is_among_people(make_match(players=players, bots=bots).read_seats())

    guest: User = User.objects.create_user("guest-1", is_guest=True)
    assert is_rated(ana, ben)
    assert not is_rated(ben, bot)
    assert not is_rated(ana, bots=1)
    assert not is_rated(ana, guest)


def test_who_is_shut_takes_the_bots_along_and_brings_them_back(ana: User, bot: User) -> None:
    program = Program.of(bot)
    zinc = open_bot(ana, "Zinc", now=NOON)
    bans.ban_user(zinc, "It floods tables.", now=NOON - timedelta(days=1))
    ban = bans.ban_user(ana, "Enough.", now=NOON)
    assert code_of(program.get("turns")) == "banned"
    bans.lift(ban, now=NOON)
    assert program.get("turns").status_code == 200
    zinc.refresh_from_db()
    assert not zinc.is_active


def test_the_owner_is_told_why_a_bot_is_shut(ana: User, bot: User) -> None:
    tell_banned(bans.ban_user(bot, "It floods tables.", now=NOON), now=NOON)
    mail = OutboxMessage.objects.get()
    assert (mail.user, mail.to) == (ana, "ana@example.org")
    content = banned(mail)
    assert content
    assert "Tin" in content.subject
    assert "It floods tables." in content.text
    assert "you cannot sign in" not in content.text


def test_the_end_of_an_owner_is_the_end_of_the_bots(ana: User, ben: User, bot: User) -> None:
    match = make_match(players=[ben, bot])
    erase(ana, now=NOON)
    assert not User.objects.filter(pk=bot.pk).exists()
    match.refresh_from_db()
    assert match.ending == Match.Ending.RESIGNED


def test_a_bot_that_never_signs_in_is_kept(bot: User) -> None:
    assert bot not in _unconfirmed_accounts(NOON + 2 * UNCONFIRMED)


def test_bots_offer_themselves_for_practice_while_they_are_awake(ben: User, bot: User) -> None:
    offer_practice(bot, ["gem"], now=NOON)
    now = clock.now()
    assert practice_partners("gem", ben, now) == []
    program = Program.of(bot)
    program.get("turns")
    assert practice_partners("gem", ben, clock.now()) == [bot]
    assert practice_partners("florentine", ben, clock.now()) == []
    assert practice_partners("gem", ben, clock.now() + 2 * AWAKE) == []
    match = practise_with(ben, "gem", "Tin", now=clock.now())
    assert practise_with(ben, "gem", "Tin", now=clock.now()) == match
    assert program.get("account").json()["practice"] == ["gem"]
    assert program.post("practice", {"games": []}).status_code == 200
    with pytest.raises(Refused) as refused:
        practise_with(make_user("cy"), "gem", "Tin", now=clock.now())
    assert _code(refused) == "not-offered"


def test_people_do_not_offer_themselves(ana: User) -> None:
    assert code_of(Program.of(ana).post("practice", {"games": ["gem"]})) == "not-a-bot"


def test_the_api_says_what_the_asker_is_and_opens_tables_for_bots(ana: User, bot: User) -> None:
    assert Program.of(bot).get("account").json()["owner"] == "ana"
    person = Program.of(ana)
    assert person.get("account").json()["owner"] is None
    opened = person.post("tables", {"game": "gem", "seats": 2, "allows_bots": True}).json()["match"]
    person.post("tables", {"game": "gem", "seats": 2})
    (line,) = person.get("tables?allows_bots=true").json()["tables"]
    assert (line["code"], line["allows_bots"]) == (opened, True)
    (line,) = person.get("tables?allows_bots=false").json()["tables"]
    assert line["allows_bots"] is False


# --- Questions to the table -------------------------------------------------------------------------


def _play_against(ben: User, bot: User) -> Match:
    match = make_match("florentine", [ben, bot], now=NOON)
    return play_until(match, lambda reached: reached.ply >= 2, now=NOON)


def test_a_bot_agrees_to_days_off_that_a_person_asks_for(ben: User, bot: User) -> None:
    match = _play_against(ben, bot)
    asked = propose_holiday(match.pk, ben, date(2026, 3, 10), date(2026, 3, 12), now=NOON)
    assert asked.outcome == Holiday.Outcome.AGREED


def test_a_bot_agrees_with_the_others_to_an_undo(ben: User, bot: User) -> None:
    cy = make_user("cy")
    match = make_match("gem", [ben, cy, bot], now=NOON)
    seat = match.seats.get(is_waiting=True)
    if seat.user == bot:
        match = play_until(match, lambda reached: not reached.seats.get(user=bot).is_waiting, now=NOON)
        seat = match.seats.get(is_waiting=True)
    asker, other = (ben, cy) if seat.user == ben else (cy, ben)
    ply = match.ply
    match = play_until(match, lambda reached: reached.ply > ply, now=NOON)
    undo = propose_undo(match.pk, asker, now=NOON)
    assert undo.outcome == Undo.Outcome.OPEN
    assert agree_to_undo(match.pk, other, now=NOON).outcome == Undo.Outcome.AGREED
    assert Match.objects.get(pk=match.pk).ply == ply


def test_one_bot_does_not_agree_by_itself_to_what_another_asks(ana: User, ben: User, bot: User) -> None:
    match = _play_against(open_bot(ben, "Zinc", now=NOON), bot)
    asked = propose_holiday(match.pk, bot, date(2026, 3, 10), date(2026, 3, 12), now=NOON)
    assert asked.outcome == Holiday.Outcome.OPEN
