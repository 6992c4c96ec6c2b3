"""Opening, joining, leaving and starting a table, and the commitment to its deal."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import deal
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import replay, sweeps
from gemserver.matches.actions.people.choose_channels import choose_channels
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import fill_with_bots, join_table
from gemserver.matches.actions.tables.leave_table import cancel_table, leave_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.actions.talk.say import say
from gemserver.matches.models import Match, NotificationChoice, Seat
from gemserver.matches.privacy import listed_matches
from gemserver.matches.refusal import Refused
from gemserver.notify import delivery
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_table, make_user

pytestmark = pytest.mark.django_db


def test_a_table_shows_its_commitment_before_anyone_joins_and_it_fits_its_secret() -> None:
    match = make_table(seats=3)
    assert match.seats.count() == 0
    assert match.commitment == deal.commitment(match.code, "gem", 1, "pace=table", match.server_part)
    assert match.code == f"M{match.pk}"


def test_no_two_tables_have_the_same_secret() -> None:
    assert make_table(seats=2).server_part != make_table(seats=2).server_part


@pytest.mark.parametrize(
    ("game", "seats", "options", "code"),
    [
        ("chess", 2, {}, "no-such-game"),
        ("gem", 5, {}, "wrong-seats"),
        ("gem", 1, {}, "wrong-seats"),
        ("gem", 2, {"pace": "hurried"}, "no-such-option"),
        ("gem", 2, {"colour": "red"}, "no-such-option"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(
    game: str, seats: int, options: dict[str, str], code: str
) -> None:
    control = TimeControl.per_move(timedelta(days=1))
    with pytest.raises(Refused, match=code):
        open_table(None, Terms(game=game, seats=seats, options=options, time_control=control), now=NOON)
    assert Match.objects.count() == 0


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("control", "vacation_days", "code"),
    [
        (TimeControl.per_move(timedelta(minutes=9)), None, "bad-clock"),
        (TimeControl.per_move(91 * DAY), None, "bad-clock"),
        (TimeControl(DAY, timedelta(0), DAY), None, "bad-clock"),
        (TimeControl(2 * DAY, HOUR, DAY), None, "bad-clock"),
        (TimeControl.per_move(DAY), -1, "bad-vacation"),
        (TimeControl.per_move(DAY), 367, "bad-vacation"),
    ],
)
def test_a_table_whose_clock_nobody_could_play_by_is_refused(
    control: TimeControl, vacation_days: int | None, code: str
) -> None:
    with pytest.raises(Refused, match=code):
        make_table(seats=2, time_control=control, vacation_days=vacation_days)


def test_who_opens_a_table_sits_down_first_with_their_own_part() -> None:
    ana = make_user("ana")
    control = TimeControl.per_move(DAY)
    terms = Terms(game="gem", seats=3, time_control=control, bots=[Seat.Bot.EASY])
    match = open_table(ana, terms, words="owl", now=NOON)
    first, second = match.seats.order_by("index")
    assert (first.user, first.part) == (ana, deal.given_part("owl"))
    assert second.bot == Seat.Bot.EASY
    assert match.is_open


def test_a_table_begins_with_the_last_seat_unless_it_is_started_by_hand() -> None:
    by_itself, by_hand = make_table(seats=2, starts_when_full=True), make_table(seats=2)
    ana, ben = make_user("ana"), make_user("ben")
    for match in (by_itself, by_hand):
        join_table(match.pk, ana, now=NOON)
        join_table(match.pk, ben, words="owl", now=NOON)
    by_itself, by_hand = Match.objects.order_by("pk")
    assert (by_itself.is_running, by_hand.is_running) == (True, False)
    parts = [deal.default_part(by_itself.server_part, 0), deal.given_part("owl")]
    assert replay.seed(by_itself) == deal.seed(by_itself.server_part, parts)


def test_who_ends_up_with_bots_alone_practises_unseen() -> None:
    """Their match is neither listed nor in the archive, as there are hints in it."""
    ana, ben = make_user("ana"), make_user("ben")
    alone, together = (make_table(seats=3, allows_bots=True) for _ in range(2))
    for match, people in ((alone, [ana, make_user("ana-bot", owner=ana)]), (together, [ana, ben])):
        for one in people:
            join_table(match.pk, one, now=NOON)
        fill_with_bots(match.pk, Seat.Bot.EASY, by=None, now=NOON)
        start_match(match.pk, by=None, now=NOON)
    assert list(listed_matches()) == [together]


def test_a_table_of_one_player_and_bots_begins_at_once() -> None:
    control = TimeControl.per_move(DAY)
    bots = [Seat.Bot.EASY, Seat.Bot.EASY]
    terms = Terms(game="gem", seats=3, time_control=control, bots=bots)
    match = open_table(make_user("ana"), terms, now=NOON)
    assert Match.objects.get(pk=match.pk).is_running


def test_only_the_host_gives_seats_to_bots_or_cancels_and_the_next_player_becomes_host() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_table(seats=4, creator=ana)
    join_table(match.pk, ben, now=NOON)
    with pytest.raises(Refused, match="not-host"):
        fill_with_bots(match.pk, Seat.Bot.EASY, by=ben, now=NOON)
    with pytest.raises(Refused, match="not-host"):
        cancel_table(match.pk, by=ben, now=NOON)
    fill_with_bots(match.pk, Seat.Bot.EASY, by=ana, now=NOON)
    leave_table(match.pk, ana, now=NOON)
    fill_with_bots(match.pk, Seat.Bot.NORMAL, by=ben, now=NOON)
    assert [seat.bot for seat in match.seats.order_by("index")] == ["", "easy", "easy", "normal"]
    with pytest.raises(Refused, match="table-full"):
        fill_with_bots(match.pk, Seat.Bot.NORMAL, by=ben, now=NOON)


def test_the_last_person_to_leave_cancels_the_table() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_table(seats=4, creator=ana)
    join_table(match.pk, ben, now=NOON)
    fill_with_bots(match.pk, Seat.Bot.EASY, by=ana, now=NOON)
    assert leave_table(match.pk, ana, now=NOON).is_open
    assert leave_table(match.pk, ben, now=NOON).status == Match.Status.CANCELLED
    with pytest.raises(Refused, match="not-open"):
        join_table(match.pk, ana, now=NOON)


@pytest.mark.parametrize("how", ["leaves", "erases the account"])
def test_a_table_whose_opener_is_erased_is_cancelled_when_the_last_goes(
    ana: User, ben: User, how: str
) -> None:
    match = make_table(seats=3, creator=ana)
    join_table(match.pk, ben, now=NOON)
    erase(ana, now=NOON)
    if how == "leaves":
        leave_table(match.pk, ben, now=NOON)
    else:
        erase(ben, now=NOON)
    assert Match.objects.get(pk=match.pk).status == Match.Status.CANCELLED


def test_the_others_are_told_when_a_table_is_cancelled() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_table(seats=3, creator=ana)
    join_table(match.pk, ben, now=NOON)
    cancel_table(match.pk, by=ana, now=NOON)
    (row,) = OutboxMessage.objects.filter(kind="cancelled")
    mail = delivery.write(row)
    assert mail is not None
    assert mail.to == ["ben@example.org"]
    assert f"GEM {match.code} was cancelled before it began." in mail.body
    assert match.get_absolute_url() in mail.body
    assert match.server_part not in mail.body
    with pytest.raises(Refused, match="not-open"):
        cancel_table(match.pk, by=ana, now=NOON)


def test_a_table_at_which_nothing_changes_for_a_month_ends_and_its_people_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    forgotten, joined, invited, talked, of_server = (make_table(seats=3, creator=ana) for _ in range(5))
    of_server.seats.all().delete()
    lately = NOON + 20 * DAY
    join_table(forgotten.pk, ben, now=NOON)
    join_table(joined.pk, ben, now=lately)
    invite(invited.pk, ana, "ben", now=lately)
    say(talked.pk, ana, "Anybody?", "k", now=lately)
    monkeypatch.setattr(clock, "now", lambda: NOON + 29 * DAY)
    sweeps.end_forgotten_tables()
    assert not OutboxMessage.objects.filter(kind="cancelled").exists()
    monkeypatch.setattr(clock, "now", lambda: NOON + 31 * DAY)
    sweeps.end_forgotten_tables()
    sweeps.end_forgotten_tables()
    assert list(Match.objects.filter(status=Match.Status.CANCELLED)) == [forgotten]
    rows = OutboxMessage.objects.filter(kind="cancelled").order_by("user")
    assert [row.user for row in rows] == [ana, ben]
    mail = delivery.write(rows[0])
    assert mail is not None
    assert f"GEM {forgotten.code} was closed, because nothing had changed there for 30 days." in mail.body
    assert "To open such a table again, write:  new gem seats 3" in mail.body
    join_table(joined.pk, make_user("cy"), now=clock.now())  # the others are as they were
    monkeypatch.setattr(clock, "now", lambda: NOON + 51 * DAY)
    sweeps.end_forgotten_tables()
    assert not Match.objects.filter(status=Match.Status.OPEN, pk__in=[invited.pk, talked.pk]).exists()


def test_nobody_hoards_tables_or_seats() -> None:
    ana = make_user("ana")
    for _ in range(10):
        make_table(seats=3, creator=ana)
    with pytest.raises(Refused, match="too-many-tables"):
        make_table(seats=3, creator=ana)
    for _ in range(10):
        join_table(make_table(seats=3).pk, ana, now=NOON)
    with pytest.raises(Refused, match="too-many-seats"):
        join_table(make_table(seats=3).pk, ana, now=NOON)
    assert Match.objects.filter(created_by=ana).count() == 10


def test_a_person_opens_no_more_tables_by_bots_of_their_own() -> None:
    """Each bot had limits of its own: a person with five of them had sixty tables wait, and opened 240 a day."""
    ana = make_user("ana")
    bot = open_bot(ana, "anabot", now=NOON)
    for number in range(10):
        make_table(seats=3, creator=(ana, bot)[number % 2])
    for who in (ana, bot):
        with pytest.raises(Refused, match="tables of yours wait"):
            make_table(seats=3, creator=who)


def test_a_bot_that_ends_leaves_its_tables_of_the_day_to_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.matches.actions.tables.open_table.MOST_TABLES_A_DAY", 4)
    ana = make_user("ana")
    for name in ("one", "two"):
        bot = open_bot(ana, name, now=NOON)
        for _ in range(2):
            cancel_table(make_table(seats=3, creator=bot).pk, by=bot, now=NOON)
        erase(bot, now=NOON)
    with pytest.raises(Refused, match="4 tables within a day"):
        make_table(seats=3, creator=open_bot(ana, "three", now=NOON))
    make_table(seats=3, creator=ana, now=NOON + timedelta(days=1))
    erase(ana, now=NOON)
    assert not Match.objects.exclude(created_by=None).exists()


def test_seats_that_a_bot_is_invited_to_do_not_keep_its_owner_from_a_table() -> None:
    ana = make_user("ana")
    bot = open_bot(ana, "anabot", now=NOON)
    for _ in range(20):
        join_table(make_table(seats=3, allows_bots=True).pk, bot, now=NOON)
    join_table(make_table(seats=3).pk, ana, now=NOON)


def test_a_table_for_invited_players_takes_who_has_the_link() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match, other = (make_table(seats=3, creator=ana, access=Match.Access.INVITED) for _ in range(2))
    for link in ("", "x", "ü", other.link_token):
        with pytest.raises(Refused, match="not-invited"):
            join_table(match.pk, ben, link=link, now=NOON)
    assert join_table(match.pk, ben, link=match.link_token.upper(), now=NOON).index == 1
    leave_table(match.pk, ana, now=NOON)
    assert join_table(match.pk, ana, now=NOON).index == 1, "who opened it may come back"


def test_seats_go_in_order_of_joining_and_joining_twice_takes_one_seat() -> None:
    match = make_table(seats=3)
    ana, ben = make_user("ana"), make_user("ben")
    assert [join_table(match.pk, user, now=NOON).index for user in (ana, ben, ana)] == [0, 1, 0]
    fill_with_bots(match.pk, Seat.Bot.RANDOM, by=None, now=NOON)
    assert match.seats.get(bot=Seat.Bot.RANDOM).index == 2
    with pytest.raises(Refused, match="table-full"):
        join_table(match.pk, make_user("cy"), now=NOON)


def test_who_leaves_gives_the_seat_back_and_the_others_move_up() -> None:
    match = make_table(seats=3)
    users = [make_user(name) for name in ("ana", "ben", "cy")]
    for user in users:
        join_table(match.pk, user, now=NOON)
    leave_table(match.pk, users[0], now=NOON)
    assert [seat.user for seat in match.seats.order_by("index")] == users[1:]
    assert join_table(match.pk, users[0], now=NOON).index == 2
    with pytest.raises(Refused, match="not-seated"):
        leave_table(match.pk, make_user("dee"), now=NOON)


def test_a_match_starts_only_when_every_seat_is_taken_and_only_by_a_player() -> None:
    match = make_table(seats=2)
    ana = make_user("ana")
    join_table(match.pk, ana, now=NOON)
    with pytest.raises(Refused, match="seats-free"):
        start_match(match.pk, by=ana, now=NOON)
    fill_with_bots(match.pk, Seat.Bot.RANDOM, by=None, now=NOON)
    with pytest.raises(Refused, match="not-seated"):
        start_match(match.pk, by=make_user("ben"), now=NOON)
    start_match(match.pk, by=ana, now=NOON)
    with pytest.raises(Refused, match="not-open"):
        start_match(match.pk, by=ana, now=NOON)
    with pytest.raises(Refused, match="not-open"):
        leave_table(match.pk, ana, now=NOON)


def test_the_deal_follows_from_the_secret_and_the_parts_alone() -> None:
    match = make_table(seats=2)
    join_table(match.pk, make_user("ana"), now=NOON)
    fill_with_bots(match.pk, Seat.Bot.RANDOM, by=None, now=NOON)
    match = start_match(match.pk, by=None, now=NOON)
    parts = [seat.part for seat in match.seats.all()]
    assert parts == [deal.default_part(match.server_part, seat) for seat in (0, 1)]
    assert replay.seed(match) == deal.seed(match.server_part, parts)


def test_starting_sends_every_player_one_mail_in_which_the_first_one_is_asked() -> None:
    match = make_table(seats=2)
    users = [make_user("ana"), make_user("ben")]
    for user in users:
        join_table(match.pk, user, now=NOON)
    match = start_match(match.pk, by=users[0], now=NOON)
    (start,) = OutboxMessage.objects.filter(kind="started")
    (turn,) = OutboxMessage.objects.filter(kind="turn")
    assert turn.data["starts"]
    assert turn.user == match.seats.get(is_waiting=True).user
    assert start.user == match.seats.get(is_waiting=False).user


def test_who_wants_no_mail_about_turns_is_told_of_the_start_nevertheless() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    for user in (ana, ben):
        choose_channels(user, None, {NotificationChoice.Topic.TURN: NotificationChoice.Channel.WEB}, now=NOON)
    make_match(players=[ana, ben])
    assert set(OutboxMessage.objects.values_list("kind", "user__username")) == {
        ("started", "ana"),
        ("started", "ben"),
    }


def test_reply_addresses_differ_and_only_their_hashes_are_stored() -> None:
    match = make_table(seats=2)
    for name in ("ana", "ben"):
        join_table(match.pk, make_user(name), now=NOON)
    start_match(match.pk, by=None, now=NOON)
    seats = list(match.seats.all())
    assert len({seat.reply_address for seat in seats}) == 2
    for seat in seats:
        assert seat.token not in str(Seat.objects.filter(pk=seat.pk).values().get())
        assert seat.token_hash == seat.current_token_hash()
