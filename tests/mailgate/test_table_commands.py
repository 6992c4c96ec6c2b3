"""Finding, opening, joining, leaving and starting tables by mail."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.models import Invitation, Match
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counted_anew")]


def test_a_table_is_opened_joined_and_begins_by_mail_alone(ana: User, ben: User) -> None:
    assert codes(write(ana, "new gem seats 2 pace 2d")) == ["done"]
    match = Match.objects.get()
    assert (match.game, match.seat_count, match.bank.days) == ("gem", 2, 2)
    text = one_line(sent_to(ana)[-1])
    assert f"GEM {match.code}" in text
    assert "One seat is free." in text
    assert f"How you can check that the deal is fair: http://localhost:8000/m/{match.code}/deal/" in text
    assert match.commitment not in text
    assert f"To ask somebody to it, write: {match.code}: invite ADDRESS" in text
    assert codes(write(ben, "join gem")) == ["done"]
    match.refresh_from_db()
    assert match.is_running
    assert set(OutboxMessage.objects.values_list("kind", flat=True)) >= {"started", "turn", "receipt"}
    assert any("the match has begun" in one_line(letter) for letter in sent_to(ben))


def test_one_mail_tells_each_player_of_the_start_whoever_is_asked_first(ana: User, ben: User) -> None:
    asked_first: set[User | None] = set()
    while asked_first != {ana, ben}:
        mail.outbox.clear()  # type: ignore[attr-defined]
        write(ana, "new gem seats 2")
        write(ben, "join gem")
        asked_first.add(Match.objects.latest("pk").seats.get(is_waiting=True).user)
        for player in (ana, ben):
            told = [one_line(letter) for letter in sent_to(player)]
            assert sum("has begun" in text and "At the table:" in text for text in told) == 1
            assert not any("It is your turn in" in text for text in told)


def test_all_that_the_page_can_choose_can_be_chosen_by_mail(ana: User) -> None:
    row = write(
        ana,
        "new gem seats 4 pace sealed clock=7d+1d absence=replace access=invited bots=2 strength=normal "
        "weekends=free vacation=10 start=hand",
    )
    assert codes(row) == ["done"]
    match = Match.objects.get()
    assert match.options == "pace=sealed"
    told = one_line(sent_to(ana)[-1])
    assert "How bids are made: all at once, sealed" in told
    assert "pace=" not in told
    assert (match.bank.days, match.increment.days) == (7, 1)
    assert (match.absence, match.access, match.free_weekends) == ("replace", "invited", True)
    assert (match.vacation_days, match.starts_when_full) == (10, False)
    assert list(match.seats.order_by("index").values_list("bot", flat=True)) == ["", "normal", "normal"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("new chess", "no-such-game"),
        ("new gem seats 9", "wrong-seats"),
        ("new gem pace lightning", "no-such-option"),
        ("new gem clock=9d", "no-such-choice"),
        ("new gem absence=cry", "no-such-choice"),
        ("new gem colour=red", "no-such-choice"),
        ("new gem bots=many", "no-such-choice"),
        ("new gem seats 2 bots=2", "too-many-bots"),
        ("new gem bots=9", "too-many-bots"),
        ("join chess", "no-such-table"),
        ("join M999", "no-such-table"),
        ("leave", "no-table"),
        ("start", "no-table"),
        ("part my words", "no-table"),
        ("invite cy@example.org", "no-table"),
        ("M7: leave", "not-seated"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_next_step(ana: User, line: str, code: str) -> None:
    row = write(ana, line)
    assert (row.state, codes(row)) == ("refused", [code])
    assert one_line(sent_to(ana)[-1]).count(line.split()[0]) >= 1
    assert not Match.objects.exists()


def test_a_table_with_bots_has_a_seat_for_each_if_no_number_is_said(ana: User) -> None:
    assert codes(write(ana, "new gem bots=2")) == ["done"]
    match = Match.objects.get()
    assert (match.is_running, match.seat_count) == (True, 3)
    write(ana, "new gem seats 2 bots=2")
    text = one_line(sent_to(ana)[-1])
    assert "Of 2 seats bots can have 1, as one is yours" in text
    assert "GEM is played with 2 to 4." in text


@pytest.mark.parametrize("word", ["board", "status"])
def test_of_a_table_that_waits_one_is_told_who_sits_there_and_what_can_be_done(
    ana: User, ben: User, word: str
) -> None:
    write(ana, "new gem seats 3 bots=1")
    code = Match.objects.get().code
    write(ana, f"{code}: {word}")
    text = one_line(sent_to(ana)[-1])
    assert "Who sits there: A ana B easy bot B One seat is free." in text
    assert f"To ask somebody to it, write: {code}: invite ADDRESS" in text
    write(ana, f"{code}: log")
    assert sent_to(ana)[-1].subject.startswith("[What you asked for]")


def test_a_player_is_invited_by_the_name_that_the_others_read(ana: User, ben: User) -> None:
    write(ana, "new gem seats 3 access=invited")
    table = Match.objects.get()
    assert codes(write(ana, f"invite {ben.username.upper()}")) == ["done"]
    assert table.invitations.get().user == ben
    assert any(table.code in letter.subject for letter in sent_to(ben))
    assert codes(write(ana, "invite Nobody Here")) == ["no-such-player"]
    assert "a player's name or a mail address" in one_line(sent_to(ana)[-1])


def test_a_name_that_may_not_be_invited_has_one_refusal(ana: User, ben: User) -> None:
    write(ana, "new gem seats 3")
    cy = make_user("cy")
    block_player(cy, "ana", now=NOON)
    table = Match.objects.get()
    table.invitations.create(
        user=ben,
        by_name=True,
        invited_by=ana,
        created_at=NOON,
        state=Invitation.State.DECLINED,
        answered_at=NOON,
    )
    for name in ("ben", "cy"):
        assert codes(write(ana, f"invite {name}")) == ["no-invitations"]
        assert f"{name} cannot be invited from here" in one_line(sent_to(ana)[-1])


def test_join_a_game_for_which_nobody_waits_opens_a_table(ana: User, ben: User) -> None:
    assert codes(write(ana, "join florentine")) == ["done"]
    assert "No table of Florentine Domino was waiting" in one_line(sent_to(ana)[-1])
    write(ana, "join florentine")
    assert Match.objects.count() == 1, "asked twice, one sits at the same table"
    write(ben, "join florentine")
    assert Match.objects.get().is_running


def test_join_takes_the_table_that_lacks_fewest(ana: User, ben: User) -> None:
    for line in ("new gem seats 4", "new gem seats 3 bots=1", "new gem seats 3"):
        write(ben, line)
    write(ana, "join gem")
    assert Match.objects.get(seats__user=ana).seats.exclude(bot="").count() == 1


def test_join_prefers_the_table_one_is_invited_to(ana: User, ben: User) -> None:
    write(make_user("cy"), "new gem seats 3 bots=1")
    write(ben, "new gem seats 4 access=invited")
    write(ben, f"invite {ana.email}")
    assert codes(write(ana, "join gem")) == ["done"]
    assert Match.objects.get(seats__user=ana).created_by == ben


def test_one_address_that_cannot_be_invited_holds_up_no_other(ana: User, ben: User) -> None:
    write(ana, "new gem seats 4 access=invited")
    match = Match.objects.get()
    row = write(ana, "invite cy@example.org dee@nowhere ben@example.org cy@example.org")
    assert codes(row) == ["done", "no-such-player", "done"]
    assert {each.whom for each in match.invitations.all()} == {"cy@example.org", "ben@example.org"}
    told = one_line(sent_to(ana)[-1])
    assert f"Invited to {match.code}: cy@example.org" in told
    assert f"Invited to {match.code}: ben@example.org" in told
    assert "is no mail address" in told


def test_whoever_is_invited_already_is_told_apart_from_the_others(ana: User) -> None:
    write(ana, "new gem seats 3")
    write(ana, "invite ben@example.org")
    write(ana, "invite BEN@example.org")
    assert f"Invited to {Match.objects.get().code} already: ben@example.org" in one_line(sent_to(ana)[-1])
    write(ana, "invite ben@example.org cy@example.org")
    told = one_line(sent_to(ana)[-1])
    assert "already: ben@example.org" in told
    assert ": cy@example.org" in told


def test_join_seats_nobody_beside_whom_they_block(ana: User, ben: User) -> None:
    write(ben, "new gem seats 3")
    block_player(ana, "ben", now=NOON)
    write(ana, "join gem")
    assert Match.objects.get(seats__user=ana).created_by == ana


def test_a_table_for_invited_players_is_not_joined_by_its_code(ana: User, ben: User) -> None:
    write(ben, "new gem seats 3 access=invited")
    assert codes(write(ana, f"join {Match.objects.get().code}")) == ["not-invited"]


def test_an_own_part_is_answered_with_the_page_where_its_fingerprint_stands(
    ana: User, client: Client
) -> None:
    write(ana, "new gem seats 3")
    before = Match.objects.get().seats.get().part
    row = write(ana, "part Seventeen Blue Teapots; and a kettle")
    after = Match.objects.get().seats.get().part
    assert codes(row) == ["done"]
    assert after != before
    (page,) = re.findall(r"http://localhost:8000(/m/M\d+/deal/)", str(sent_to(ana)[-1].body))
    assert after in client.get(page).content.decode()


def test_with_several_tables_the_one_meant_is_named(ana: User) -> None:
    write(ana, "new gem seats 3")
    write(ana, "new florentine")
    _first, second = Match.objects.order_by("pk")
    assert codes(write(ana, "leave")) == ["which-table"]
    assert codes(write(ana, f"{second.code}: leave")) == ["done"]
    second.refresh_from_db()
    assert second.status == "cancelled"
    assert "was cancelled" in one_line(sent_to(ana)[-1])


def test_a_running_match_is_not_left_but_resigned(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    assert codes(write(ana, f"{match.code}: leave")) == ["running"]
    assert "resign" in one_line(sent_to(ana)[-1])


def test_games_shows_matches_tables_and_how_to_join(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    write(ben, "new gem seats 3")
    write(ben, "new jewellers")
    gem, jewellers = (each.code for each in Match.objects.order_by("pk").exclude(pk=match.pk))
    write(ben, f"{jewellers}: invite {ana.email}")
    row = write(ana, "games")
    assert (row.state, codes(row)) == ("done", ["shown"])
    text = one_line(sent_to(ana)[-1])
    assert f"GEM {match.code}" in text
    assert f"Tables with free seats: * GEM {gem}: 1 of 3 seats are taken" in text
    assert f"To sit down, write: join {gem}" in text
    assert f"You are invited: * Jewellers {jewellers} To sit down, write: join {jewellers}" in text
    assert text.count(jewellers) == 2, "not among the free seats once more"
    assert "* Gembatan (gembatan), 2 to 4 players" in text


def test_a_second_reading_after_a_crash_opens_no_second_table(ana: User) -> None:
    """mail-requirements.md I3."""
    row = write(ana, "new gem seats 3\njoin gem\nstatus")
    first = row.results
    InboundEmail.objects.filter(pk=row.pk).update(state="stored", claimed_until=None)
    processing.process_stored()
    row.refresh_from_db()
    assert Match.objects.count() == 1
    assert row.results == first


def test_a_newcomers_wish_is_done_with_the_confirmation(ana: User) -> None:
    write(ana, "new gem seats 3")
    raw = b"From: dora@example.net\nTo: play@gem.localhost\nMessage-ID: <%d@x.example>\n\n%s\n"

    ingest(raw % (1, b"join gem"), "dora@example.net", "play@gem.localhost", "smtp", {})
    processing.process_stored()
    secret = OutboxMessage.objects.get(kind="sign-up").data["secret"]["code"]
    ingest(raw % (2, f"confirm {secret}".encode()), "dora@example.net", "play@gem.localhost", "smtp", {})
    processing.process_stored()
    dora = User.objects.get(email="dora@example.net")
    match = Match.objects.get()
    assert match.seats.filter(user=dora).exists()
    receipt = one_line(sent_to(dora)[-1])
    assert "Welcome to the Gem server!" in receipt
    assert f"You sit at {match.code}, a table of GEM, in seat B." in receipt


@pytest.mark.parametrize("line", ["bid 3", "pass", "bid four please", "3", "always pass", "option 1"])
def test_a_move_at_a_table_that_still_waits_is_told_that_it_has_not_begun(
    ana: User, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    """And not that its rules have failed."""
    write(ana, "new gem seats 2")
    code = Match.objects.get().code
    mail.outbox.clear()  # type: ignore[attr-defined]
    write(ana, f"{code}: {line}")
    text = one_line(sent_to(ana)[-1])
    assert f"{code} has not started; wait for the start mail." in text
    assert "have failed" not in text
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@pytest.mark.parametrize(
    ("rated", "says"),
    [("yes", "The result counts for ratings."), ("no", "The result does not count for ratings.")],
)
def test_who_is_asked_to_a_table_and_who_plays_there_reads_if_it_is_rated(
    ana: User, ben: User, rated: str, says: str
) -> None:
    write(ana, f"new gem seats 2 rated={rated}")
    assert says in one_line(sent_to(ana)[-1]), "of the table"
    write(ana, "invite ben")
    invited = sent_to(ben)[-1]
    assert says in one_line(invited)
    assert says in str(invited.alternatives[0][0])  # type: ignore[attr-defined]
    write(ben, f"join {Match.objects.get().code}")
    for player in (ana, ben):
        told = [one_line(letter) for letter in sent_to(player) if "The match begins" in letter.subject]
        assert says in told[0]
    page = Client().get(Match.objects.get().get_absolute_url()).content.decode()
    assert says in page


def test_the_host_gives_free_seats_to_bots_by_mail_and_start_says_how(ana: User, ben: User) -> None:
    write(ana, "new gem seats 4")
    match = Match.objects.get()
    write(ben, f"join {match.code}")
    assert codes(write(ana, "start")) == ["seats-free"]
    assert f"write {match.code}: bots 2" in one_line(sent_to(ana)[-1])
    assert codes(write(ana, "bots 3")) == ["too-many-bots"]
    assert codes(write(ben, "bots 2")) == ["not-host"]
    assert codes(write(ana, "bots 1 normal")) == ["done"]
    assert match.seats.filter(bot="normal").count() == 1
    assert codes(write(ana, f"{match.code}: bots 1")) == ["done"]
    match.refresh_from_db()
    assert match.is_running


def test_an_invitation_is_taken_back_by_mail(ana: User, ben: User) -> None:
    write(ana, "new gem seats 3")
    write(ana, "invite ben\ninvite cy@example.org")
    assert codes(write(ana, "uninvite ben\nuninvite cy@example.org")) == ["done", "done"]
    assert set(Invitation.objects.values_list("state", flat=True)) == {Invitation.State.WITHDRAWN}
    assert codes(write(ana, "uninvite ben@example.org")) == ["no-invitation"]
    assert codes(write(ben, f"{Match.objects.get().code}: uninvite cy@example.org")) == ["not-seated"]


def test_a_match_that_is_over_is_played_again_by_mail(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    assert codes(write(ana, f"{match.code}: rematch")) == ["not-over"]
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED, finished_at=NOON)
    assert codes(write(ana, f"{match.code}: rematch")) == ["done"]
    again = Match.objects.get(rematch_of=match)
    assert f"GEM {again.code}" in one_line(sent_to(ana)[-1])
    assert codes(write(ben, f"{match.code}: rematch")) == ["done"]
    again.refresh_from_db()
    assert again.is_running
