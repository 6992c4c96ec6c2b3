"""Leagues and tournaments by mail: events, enter, withdraw, standings; and the prose that begins with these words."""

from __future__ import annotations

import pytest
from django.conf import LazySettings
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.clubs.models import Club, Member
from gemserver.events.actions.replace_player import propose_replacement
from gemserver.events.actions.start_season import start_season
from gemserver.events.models import Entry
from gemserver.mailgate.lines.commands import Command, read_lines
from gemserver.matches.models import Report
from tests.builders import NOON, make_match, make_user
from tests.clubs.people import make_club
from tests.events.leagues import make_event, make_players, play_all, season_of
from tests.mailgate.ordinary.trying import has_effect
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.mailgate.replying import receive, reply

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counted_anew", "in_march")]

SENTENCES = (
    "event after event, I report nothing new",
    "Event league",
    "Withdraw my last mail please",
    "Withdraw what I said about Ben.",
    "Enter the next one with me?",
    "Enter at your own risk",
    "Events of the last week were too much",
    "Standings are on the page, I think",
    "events like these happen",
    "withdraw from the auction, I would say",
)


@pytest.fixture
def in_march(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gemserver.lib.clock.now", lambda: NOON)


@pytest.fixture
def olga() -> User:
    return make_user("olga")


def entered(user: User) -> bool:
    return Entry.objects.filter(player=user, withdrawn_at=None).exists()


def test_a_player_finds_enters_and_leaves_an_event_by_mail(ana: User, olga: User) -> None:
    make_event(olga, name="Winter league", slug="winter")
    assert codes(write(ana, "events")) == ["shown"]
    text = one_line(sent_to(ana)[-1])
    assert "Winter league (winter): Gembatan, league with promotion and relegation" in text
    assert "Season 1 takes entries until Fri 13 Mar 2026 12:00 UTC; 0 so far." in text
    assert "To play in it, write: enter winter" in text
    for line in ("enter winter", "Enter WINTER.", "enter Winter League", "enter  winter   league."):
        assert codes(write(ana, line)) == ["done"], line
        assert entered(ana)
        assert "You have entered season 1 of Winter league; it begins on" in one_line(sent_to(ana)[-1])
        assert codes(write(ana, line.lower().replace("enter", "withdraw"))) == ["done"]
        assert not entered(ana)
    assert "To come back before it begins, write: enter winter" in one_line(sent_to(ana)[-1])


@pytest.mark.slow
def test_the_tables_come_as_text(olga: User) -> None:
    players = make_players(8)
    event = make_event(olga, players, division_size=4, exchanged=1, name="Winter league", slug="winter")
    assert codes(write(players[0], "standings winter")) == ["no-table-yet"]
    season = start_season(season_of(event).pk, by=olga, now=NOON)
    play_all(season, now=NOON, most=3)
    assert codes(write(players[5], "standings Winter league")) == ["shown"]
    letter = sent_to(players[5])[-1]
    body = str(letter.body)
    assert "Winter league, season 1" in body
    assert body.index("Division 2") < body.index("Division 1")
    assert "player05 (you)" in body
    assert "Possible" in body
    assert "Fixtures still being played: 1" in body
    assert max(len(line) for line in body.splitlines()) <= 78
    assert not entered(olga)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("enter nowhere", "no-such-event", "To see what there is, write: events"),
        ("withdraw nowhere", "no-such-event", "To see what there is, write: events"),
        ("enter wintre", "no-such-event", "If you meant it, write: enter winter"),
        ("standings win", "no-such-event", "If you meant it, write: standings winter"),
        ("withdraw winter", "not-entered", "nothing to withdraw from"),
        ("event wintre report It insults us", "no-such-event", "write: event winter report It insults us"),
        ("event", "usage", "is written like this: event NAME report WORDS"),
        ("enter", "usage", "is written like this: enter NAME"),
        ("standings", "usage", "is written like this: standings NAME"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_next_step(
    ana: User, olga: User, line: str, code: str, said: str
) -> None:
    make_event(olga, name="Winter league", slug="winter")
    row = write(ana, line)
    assert row.state == "refused"
    assert codes(row)[0] == code
    assert said in one_line(sent_to(ana)[-1])
    assert not entered(ana)


@pytest.mark.parametrize("name", ["event winter", "club lake"])
def test_events_and_clubs_are_reported_by_mail(ana: User, olga: User, name: str) -> None:
    make_event(olga, name="Winter league", slug="winter", about="Only for idiots")
    make_club("Lake", olga, is_private=False)
    moderator = make_user("mo", role=Role.MODERATOR)
    wrapped = "It insults people who lose, again and again, please"
    row = write(ana, f"{name} report {wrapped}\nlook at it.")
    assert codes(row) == ["done"]
    (report,) = Report.objects.all()
    assert (report.reporter, report.text) == (ana, f"{wrapped} look at it")
    assert "is with the moderators" in one_line(sent_to(ana)[-1])
    assert wrapped in one_line(sent_to(moderator)[-1])
    assert codes(write(ana, "help")) == ["shown"]
    assert "event NAME report WORDS, club NAME report WORDS" in one_line(sent_to(ana)[-1])


def test_two_events_of_one_name_are_told_apart(ana: User, olga: User) -> None:
    for slug in ("cup-a", "cup-b"):
        make_event(olga, name="The cup", slug=slug)
    row = write(ana, "enter the cup")
    assert codes(row) == ["which-event"]
    letter = sent_to(ana)[-1]
    assert "Write one of these: enter cup-a · enter cup-b" in one_line(letter)
    assert "body=enter%20cup-b" in str(letter.alternatives[0][0])
    assert not entered(ana)


@pytest.mark.slow
def test_a_season_that_runs_takes_no_entries_and_is_left_to_bots(ana: User, olga: User) -> None:
    players = make_players(4)
    event = make_event(olga, players)
    start_season(season_of(event).pk, by=olga, now=NOON)
    assert codes(write(ana, "enter league")) == ["entries-closed"]
    assert codes(write(players[0], "enter league")) == ["done"]
    assert "You play in season 1 of League." in one_line(sent_to(players[0])[-1])
    assert codes(write(players[0], "withdraw league")) == ["done"]
    assert "bots play on for you" in one_line(sent_to(players[0])[-1])
    assert not entered(players[0])


def test_the_event_of_a_private_club_is_unknown_to_strangers(ana: User, ben: User, olga: User) -> None:
    club = Club.objects.create(slug="owls", name="Owls", is_private=True, created_at=NOON)
    for user, role in ((olga, Member.Role.OWNER), (ben, Member.Role.MEMBER)):
        Member.objects.create(club=club, user=user, role=role, joined_at=NOON)
    make_event(olga, name="Owl cup", slug="owl-cup", club=club)
    answers = []
    for name in ("owl-cap", "owl-cup"):
        assert codes(write(ana, f"enter {name}")) == ["no-such-event"]
        answers.append(one_line(sent_to(ana)[-1]).replace(name, "NAME"))
    assert answers[0] == answers[1]
    for line in ("standings owl-cup", "withdraw owl-cup"):
        assert codes(write(ana, line)) == ["no-such-event"]
    # A full name of several words is then no command at all, as that of no event is.
    assert codes(write(ana, "enter owl cup")) == codes(write(ana, "enter no cup"))
    write(ana, "events")
    assert "owl" not in one_line(sent_to(ana)[-1]).lower()
    assert codes(write(ben, "enter Owl Cup")) == ["done"]
    assert entered(ben)


def test_a_bot_cannot_be_entered_and_a_guest_neither(olga: User) -> None:
    make_event(olga)
    guest = make_user("gus", is_guest=True)
    assert codes(write(guest, "enter league")) == ["guest"]


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_that_begins_with_such_a_word_is_no_command(text: str) -> None:
    assert not has_effect(text)


def test_nor_is_it_one_in_a_mail_of_a_match(ana: User, ben: User, olga: User) -> None:
    make_event(olga, [ana])
    match = make_match(players=[ana, ben], now=NOON)
    seat = match.seats.get(user=ana)
    for text in SENTENCES:
        row = write(ana, f"Hi Ben,\n\n{text}\n\nAna", to=seat.reply_address)
        assert "done" not in codes(row), text
    row = write(ana, "I have to say that in the end I would rather\nwithdraw league", to=seat.reply_address)
    assert "done" not in codes(row)
    assert entered(ana)
    assert not match.moves.exists()
    assert codes(write(ana, "withdraw league", to=seat.reply_address)) == ["done"]


def test_it_needs_the_authority_that_joining_a_table_needs(
    ana: User, olga: User, settings: LazySettings
) -> None:
    """To the address that everybody knows, unproved mail neither seats nor enters anybody."""
    settings.MAIL_AUTH = "normal"
    make_event(olga)
    lines = ("join gem", "enter league")
    unproved = [write(ana, line, to=settings.PLAY_ADDRESS) for line in lines]
    assert {(row.state, row.code) for row in unproved} == {("refused", "unproved-to-lobby")}
    assert not entered(ana)
    assert codes(write(ana, "enter league")) == ["done"]


def test_the_commands_as_documented() -> None:
    assert read_lines("enter winter-league") == [Command("enter", "winter-league")]
    assert read_lines("Withdraw winter") == [Command("withdraw", "winter")]
    assert read_lines("standings winter2.") == [Command("standings", "winter2")]
    assert read_lines("Events.") == [Command("events")]


# --- Taking over from a player --------------------------------------------------------------------------


@pytest.fixture
def asked_ana(ana: User, olga: User) -> EmailMultiAlternatives:
    """The mail in which Ana is asked to take over from player00."""
    event = make_event(olga, make_players(4))
    season = start_season(season_of(event).pk, by=olga, now=NOON)
    entry = season.entries.order_by("pk")[0]
    propose_replacement(entry.pk, ana, by=olga, reason="Ill.", now=NOON)
    return sent_to(ana)[-1]


def test_who_is_asked_to_go_on_for_a_player_agrees_with_a_plain_yes(
    asked_ana: EmailMultiAlternatives, ana: User, olga: User
) -> None:
    text = one_line(asked_ana)
    assert "olga asks you to take over from player00 in season 1 of League." in text
    assert "| Ill." in text
    assert "the commands agree and refuse" in text
    assert codes(receive(reply(asked_ana, ana.email, "Yes, gladly!"))) == ["done"]
    assert entered(ana)
    assert "ana takes over from player00 in season 1 of League." in one_line(sent_to(olga)[-1])
    assert codes(receive(reply(asked_ana, ana.email, "no"))) == ["nothing-asked"]
    assert entered(ana)


@pytest.mark.parametrize("line", ["refuse", "nein, lieber nicht", "withdraw league"])
def test_who_is_asked_to_go_on_for_a_player_says_no(
    asked_ana: EmailMultiAlternatives, ana: User, line: str
) -> None:
    assert codes(receive(reply(asked_ana, ana.email, line))) == ["done"]
    assert not entered(ana)
    assert "You do not take over from player00 in League." in one_line(sent_to(ana)[-1])
