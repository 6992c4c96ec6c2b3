"""A player goes away, or answers, while something happens at the table: both is done, and nobody stays by halves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections, transaction
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.locking import lock_user
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.newcomers import create_account
from gemserver.clubs.models import Club
from gemserver.events.actions.open_event import MOST_EVENTS
from gemserver.inbox import held_mail
from gemserver.inbox.erasure import erase
from gemserver.inbox.models import InboundEmail
from gemserver.lib import web_push
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.clubs.leave_club import leave_club
from gemserver.matches.actions.clubs.open_club import close_club, open_club
from gemserver.matches.actions.people.add_channel import add_device
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.people.rename import rename
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.seats.ask_sitter import MOST_ASKED, propose_sitting
from gemserver.matches.actions.tables.answer_invitation import accept_invitation, stop_invitations
from gemserver.matches.actions.tables.invite import PER_ADDRESS_AND_DAY, invite, withdraw_invitation
from gemserver.matches.actions.tables.join_table import MOST_WAITING_SEATS, join_table
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.actions.tables.open_table import MOST_OPEN_TABLES
from gemserver.matches.actions.talk.report_abuse import MOST_REPORTS, report_abuse
from gemserver.matches.actions.talk.say import MOST_MESSAGES, say
from gemserver.matches.actions.time.set_hours import set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation
from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.bounces import TrustedReport, note
from gemserver.notify.models import Channel, DeliveryEvent
from gemserver.study.what_if import begin_what_if
from tests.builders import NOON, asked, make_match, make_table, make_user
from tests.channels.subscriber import Subscriber
from tests.clubs.people import make_club, open_for
from tests.events.leagues import make_event
from tests.lock_waits import wait_until_waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool


def test_a_match_that_ends_meanwhile_does_not_stop_the_erasure(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    match = make_match(game="gembatan", players=[ana, ben])
    with transaction.atomic():
        lock_match(match.pk)
        erased = _erase_in_thread(pool, ana)
        resign(match.pk, ben, source=Move.Source.WEB, request_id="first", now=NOON)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    assert match.seats.get(index=0).rank == 1


def test_a_table_that_begins_meanwhile_is_resigned(ana: User, ben: User, pool: ThreadPoolExecutor) -> None:
    table = make_table(seats=2, creator=ana, starts_when_full=True)
    with transaction.atomic():
        lock_match(table.pk)
        erased = _erase_in_thread(pool, ana)
        join_table(table.pk, ben, now=NOON)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    table.refresh_from_db()
    assert (table.status, table.ending) == (Match.Status.FINISHED, Match.Ending.RESIGNED)


def test_no_seat_is_left_without_a_player(ana: User, ben: User, pool: ThreadPoolExecutor) -> None:
    """Ana sits down at another table while the erasure waits for the lock of the first."""
    match, table = (
        make_match(game="gembatan", players=[ana, make_user("cy")]),
        make_table(seats=2, creator=ben, starts_when_full=True),
    )
    with transaction.atomic():
        lock_match(match.pk)
        erased = _erase_in_thread(pool, ana)
        pool.submit(_in_thread, lambda: join_table(table.pk, ana, now=NOON)).result(timeout=20)
    erased.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()
    running = Seat.objects.filter(match__status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    assert not running.filter(user=None, bot="").exists()


def test_a_club_is_left_although_its_table_begins_meanwhile(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    club = make_club("Lake", ben, ana)
    table = open_for(club, ana)
    join_table(table.pk, ben, now=NOON)
    with transaction.atomic():
        lock_match(table.pk)
        left = _wait_in_thread(pool, lambda: leave_club(club.pk, ana, now=NOON))
        start_match(table.pk, by=ben, now=NOON)
    left.result(timeout=20)
    assert not club.members.filter(user=ana).exists()
    table.refresh_from_db()
    assert table.is_running


def _join_in(club: Club, ana: User, ben: User) -> Callable[[], object]:
    table = open_for(club, ben)
    return lambda: join_table(table.pk, ana, now=NOON)


def _accept_in(club: Club, ana: User, ben: User) -> Callable[[], object]:
    table = open_for(club, ben, access="invited")
    invitation = invite(table.pk, ben, "ana", now=NOON)
    return lambda: accept_invitation(invitation.pk, ana, now=NOON)


def _open_in(club: Club, ana: User, ben: User) -> Callable[[], object]:
    return lambda: open_for(club, ana)


@pytest.mark.parametrize("prepare", [_join_in, _accept_in, _open_in])
def test_who_leaves_a_club_sits_at_no_table_that_they_joined_just_then(
    prepare: Callable[[Club, User, User], Callable[[], object]],
    ana: User,
    ben: User,
    pool: ThreadPoolExecutor,
) -> None:
    club = make_club("Lake", ben, ana)
    sit_down = prepare(club, ana, ben)
    with transaction.atomic():
        sit_down()
        left = _wait_in_thread(pool, lambda: leave_club(club.pk, ana, now=NOON))
    left.result(timeout=20)
    assert not club.members.filter(user=ana).exists()
    assert not Seat.objects.filter(user=ana).exists()


def test_no_table_is_opened_for_a_club_that_is_closed_just_then(ben: User, pool: ThreadPoolExecutor) -> None:
    club = make_club("Lake", ben)
    with transaction.atomic():
        close_club(club.pk, ben, now=NOON)
        opened = _wait_in_thread(pool, lambda: open_for(club, ben))
    with pytest.raises(Refused, match="club-closed"):
        opened.result(timeout=20)


def test_an_invitation_is_accepted_while_its_sender_takes_it_back(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    table = make_table(seats=2, creator=ana)
    invitation = invite(table.pk, ana, "ben", now=NOON)
    with transaction.atomic():
        lock_match(table.pk)
        accepted = _wait_in_thread(pool, lambda: accept_invitation(invitation.pk, ben, now=NOON))
        withdraw_invitation(invitation.pk, ana, now=NOON)
    with pytest.raises(Refused) as refusal:
        accepted.result(timeout=20)
    assert refusal.value.code == "withdrawn"


def test_mail_to_an_invited_address_comes_back_while_its_owner_wants_no_more(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    table = make_table(seats=2, creator=ana, starts_when_full=True)
    invitation = invite(table.pk, ana, ben.email, now=NOON)
    accept_invitation(invitation.pk, ben, now=NOON)
    report = TrustedReport(DeliveryEvent.Kind.HARD_BOUNCE, ben.email, NOON, "dsn", "dsn:1")
    with transaction.atomic():
        lock_match(table.pk)
        came_back = _wait_in_thread(pool, lambda: note(report, now=NOON))
        stop_invitations(invitation.pk, now=NOON)
    came_back.result(timeout=20)
    assert UnreachableAddress.objects.get(address=ben.email).why == UnreachableAddress.Reason.BOUNCED
    assert table.notices.filter(kind="cut-off").exists()


def test_a_held_mail_is_decided_while_its_player_is_erased(ana: User, pool: ThreadPoolExecutor) -> None:
    match = make_match(players=[ana, make_user("ben")])
    seat = match.seats.get(index=0)
    row = ingest(b"From: work@example.net\n\nbid 1\n", "", seat.reply_address, "smtp", {})
    assert row is not None
    InboundEmail.objects.filter(pk=row.pk).update(state=InboundEmail.State.HELD, user=ana, seat=seat)
    with transaction.atomic():
        lock_match(match.pk)
        decided = _wait_in_thread(pool, lambda: held_mail.lock(row.pk), in_transaction=True)
        erase(ana, now=NOON)
    decided.result(timeout=20)
    assert not User.objects.filter(username="ana").exists()


def test_a_bot_goes_with_its_owner_while_an_opponent_of_both_is_on_vacation(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    bot = open_bot(ana, "anabot", now=NOON)
    of_owner, of_bot = make_match(players=[ana, ben]), make_match(players=[bot, ben])
    with transaction.atomic():
        lock_match(of_owner.pk)
        erased = _erase_in_thread(pool, ana)
        lock_match(of_bot.pk)  # as whoever writes into the logs of all of Ben's matches
    erased.result(timeout=20)
    assert not User.objects.filter(username__in=["ana", "anabot"]).exists()


def _report(player: User, number: int, match: Match) -> object:
    return report_abuse(match.pk, player, f"Look at this, {number}.", now=NOON + number * MINUTE)


def _say(player: User, number: int, match: Match) -> object:
    return say(match.pk, player, f"This is word {number}.", f"word-{number}", now=NOON)


def _sit_down(player: User, number: int, match: Match) -> object:
    return join_table(make_table(seats=4, creator=None).pk, player, now=NOON)


def _open_table(player: User, number: int, match: Match) -> object:
    return make_table(seats=4, creator=player)


def _find_sitter(player: User, number: int, match: Match) -> object:
    """For a match of its own, and of a sitter of its own."""
    of_its_own = make_match(players=[player, make_user(f"other{number}")])
    make_user(f"sitter{number}")
    return propose_sitting(of_its_own.pk, player, f"sitter{number}", NOON.date(), NOON.date(), now=NOON)


def _open_event(player: User, number: int, match: Match) -> object:
    return make_event(player, slug=f"league-{'abcdefg'[number]}")


@pytest.mark.parametrize(
    ("do", "most"),
    [
        (_report, MOST_REPORTS),
        (_say, MOST_MESSAGES),
        (_sit_down, MOST_WAITING_SEATS),
        (_open_table, MOST_OPEN_TABLES),
        (_find_sitter, MOST_ASKED),
        (_open_event, MOST_EVENTS),
    ],
)
def test_a_limit_holds_for_two_at_once(
    do: Callable[[User, int, Match], object], most: int, ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    one, other = make_match(players=[ana, ben]), make_match(players=[ana, ben])
    for number in range(1, most):
        do(ana, number, one)
    with transaction.atomic():
        do(ana, 0, one)
        second = _wait_in_thread(pool, lambda: do(ana, most, other))
    with pytest.raises(Refused, match=r"too-(many|often)"):
        second.result(timeout=20)


def test_an_address_is_invited_no_more_often_by_two_players_at_once(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    hosts = [make_user(name) for name in ("cy", "dora", "eva", "finn")[:PER_ADDRESS_AND_DAY]]
    *earlier, one, other = [make_table(seats=2, creator=host) for host in [*hosts, ana]]
    for table, host in zip(earlier, hosts, strict=False):
        invite(table.pk, host, "zoe@example.org", now=NOON)
    with transaction.atomic():
        invite(one.pk, hosts[-1], "zoe@example.org", now=NOON)
        second = _wait_in_thread(pool, lambda: invite(other.pk, ana, "zoe@example.org", now=NOON))
    with pytest.raises(Refused, match="no-invitations"):
        second.result(timeout=20)


@pytest.mark.parametrize("do", [_report, _say])
def test_who_waits_at_a_held_table_holds_up_no_other(
    do: Callable[[User, int, Match], object], ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    held, free = make_match(players=[ana, ben]), make_match(players=[ana, ben])
    with transaction.atomic():
        lock_match(held.pk)
        waits = _wait_in_thread(pool, lambda: do(ana, 1, held))
        pool.submit(_in_thread, lambda: do(ana, 2, free)).result(timeout=20)
        assert not waits.done()
    waits.result(timeout=20)


def _rename(name: str, number: int) -> str:
    player = make_user(f"cy{number}")
    rename(player, name)
    return player.username


def _open_bot(name: str, number: int) -> str:
    return open_bot(make_user(f"cy{number}"), name, now=NOON).username


def _open_club(name: str, number: int) -> str:
    return open_club(make_user(f"cy{number}"), name=name, now=NOON).name


@pytest.mark.parametrize("take", [_rename, _open_bot, _open_club])
def test_of_two_who_take_a_name_at_once_one_is_refused(
    take: Callable[[str, int], str], pool: ThreadPoolExecutor
) -> None:
    """PostgreSQL itself refuses only the very same name, as an error; `zed` and `ZED` were two players."""
    for number, other in enumerate(("Zed", "ZED")):
        with transaction.atomic():
            take("Zed" * (number + 1), 2 * number)
            second = _wait_in_thread(pool, lambda: take(other * (number + 1), 2 * number + 1))  # noqa: B023
        with pytest.raises(Refused, match="name-taken"):
            second.result(timeout=20)


def test_accounts_that_are_made_at_once_have_names_of_their_own(pool: ThreadPoolExecutor) -> None:
    for number, address in enumerate(("zed@example.net", "zed@example.org")):
        with transaction.atomic():
            first = create_account("zed@example.org" if number else address)
            second = _wait_in_thread(pool, lambda: create_account(address))  # noqa: B023
        second.result(timeout=20)
        assert first.username.startswith("zed")
    names = User.objects.filter(username__startswith="zed").values_list("username", flat=True)
    assert sorted(names) == ["zed", "zed-2"]


def test_a_browser_that_two_accounts_subscribe_at_once_is_the_later_ones(
    ana: User, ben: User, pool: ThreadPoolExecutor, settings: Settings
) -> None:
    settings.VAPID_KEY = web_push.new_key()
    vapid, sent = web_push.public_key(settings.VAPID_KEY), Subscriber().sent

    def subscribe(user: User) -> None:
        add_device(user, "Firefox", endpoint="https://push.example/1", **sent, vapid=vapid, now=NOON)

    with transaction.atomic():
        subscribe(ana)
        second = _wait_in_thread(pool, lambda: subscribe(ben))
    second.result(timeout=20)
    assert [channel.user for channel in Channel.objects.all()] == [ben]


def test_of_two_who_sign_up_under_a_name_at_once_one_is_told(pool: ThreadPoolExecutor) -> None:
    answers = []

    def sign_up(number: int) -> None:
        form = {"username": "Zed", "email": f"zed{number}@example.net", "password1": ""}
        answers.append(Client().post("/accounts/signup/", form).status_code)

    with transaction.atomic():
        sign_up(1)
        second = _wait_in_thread(pool, lambda: sign_up(2))
    second.result(timeout=20)
    assert answers == [302, 200]
    assert User.objects.filter(username="Zed").count() == 1


def _join(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    table = make_table(seats=3, creator=ben)
    return table, lambda: join_table(table.pk, ana, now=NOON)


def _accept(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    table = make_table(seats=3, creator=ben)
    invitation = invite(table.pk, ben, "ana", now=NOON)
    return table, lambda: accept_invitation(invitation.pk, ana, now=NOON)


def _play_again(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match = make_match(game="gembatan", players=[ana, ben])
    resign(match.pk, ben, source=Move.Source.WEB, request_id="first", now=NOON)
    return match, lambda: open_rematch(match.pk, ana, now=NOON)


def _ask_sitter(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match, _cy = make_match(players=[ana, ben]), make_user("cy")
    return match, lambda: propose_sitting(match.pk, ana, "cy", NOON.date(), NOON.date(), now=NOON)


def _go_on_vacation(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match = make_match(players=[ana, ben])
    return match, lambda: announce_vacation(ana, NOON.date(), NOON.date(), now=NOON)


def _come_back(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match = make_match(players=[ana, ben])
    announce_vacation(ana, NOON.date(), NOON.date() + timedelta(days=3), now=NOON)
    return match, lambda: end_vacation(ana, now=NOON + MINUTE)


def _snooze(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    of_two = [make_match(players=players, server_part="0" * 64) for players in ([ana, ben], [ben, ana])]
    match = next(match for match in of_two if asked(match).user == ana)
    return match, lambda: snooze(ana, timedelta(hours=8), now=NOON)


def _wake(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match, sleep = _snooze(ana, ben)
    sleep()
    return match, lambda: end_snooze(ana, now=NOON + MINUTE)


def _set_leads(ana: User, ben: User) -> tuple[Match, Callable[[], object]]:
    match, _sleep = _snooze(ana, ben)
    return match, lambda: set_leads(ana, [timedelta(hours=1)], now=NOON)


@pytest.mark.parametrize(
    "prepare",
    [
        *(_join, _accept, _play_again, _ask_sitter, _go_on_vacation, _come_back),
        *(_snooze, _wake, _set_leads),
    ],
)
def test_who_waits_for_a_match_holds_no_account(
    prepare: Callable[[User, User], tuple[Match, Callable[[], object]]],
    ana: User,
    ben: User,
    pool: ThreadPoolExecutor,
) -> None:
    held, do = prepare(ana, ben)
    with transaction.atomic():
        lock_match(held.pk)
        waits = _wait_in_thread(pool, do, in_transaction=True)  # as of a mail's line or a program
        lock_user(ana.pk)  # as all else that she does; it would wait for the thread that waits for us
        assert not waits.done()
    waits.result(timeout=20)


def test_no_event_is_opened_for_a_club_that_closes_meanwhile(ana: User, pool: ThreadPoolExecutor) -> None:
    club = make_club("Lake", ana)
    with transaction.atomic():
        close_club(club.pk, ana, now=NOON)
        opened = _wait_in_thread(pool, lambda: make_event(ana, club=club))
    with pytest.raises(Refused, match="club-closed"):
        opened.result(timeout=20)


def test_one_rematch_is_opened_for_two_at_once(ana: User, ben: User, pool: ThreadPoolExecutor) -> None:
    over, _ = _play_again(ana, ben)
    with transaction.atomic():
        first = open_rematch(over.pk, ana, now=NOON)
        second = _wait_in_thread(pool, lambda: open_rematch(over.pk, ben, now=NOON))
    second.result(timeout=20)
    assert list(Match.objects.filter(rematch_of=over)) == [first]


def test_who_looks_at_a_what_if_holds_no_account_while_bots_think(
    ana: User, ben: User, pool: ThreadPoolExecutor
) -> None:
    over, _ = _play_again(ana, ben)
    over.refresh_from_db()
    with transaction.atomic():
        begin_what_if(over, ana, 0, 0, "", now=NOON)
        lock_account = transaction.atomic(lambda: lock_user(ana.pk))
        pool.submit(_in_thread, lock_account).result(timeout=20)


def _erase_in_thread(pool: ThreadPoolExecutor, user: User) -> Future[None]:
    return _wait_in_thread(pool, lambda: erase(user, now=NOON))


def _wait_in_thread(
    pool: ThreadPoolExecutor, do: Callable[[], object], *, in_transaction: bool = False
) -> Future[None]:
    """Begin to do it, and return when it waits for the lock that we hold."""
    begun = pool.submit(_in_thread, transaction.atomic(do) if in_transaction else do)
    wait_until_waiting(begun=begun)
    if begun.done():
        begun.result()
        pytest.fail("it waits for nothing")
    return begun


def _in_thread(do: Callable[[], object]) -> None:
    try:
        do()
    finally:
        connections.close_all()
