"""The page of a deal, its mails and `verify` claim no more about who chose it than the parts prove."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client

from games import deal
from games.__main__ import main
from gemserver.accounts.models import User
from gemserver.matches.actions.play.start_match import start_match
from gemserver.matches.actions.tables.give_part import give_part
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import leave_table
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import DrawnSecret, Match, Seat
from gemserver.matches.records import record_text
from gemserver.notify.content import writer
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, THREE_DAYS, make_table, make_user, play_to_the_end
from tests.site.pages import read

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
ALONE = "the server alone chose this deal"
MAYBE = "the server may have chosen this deal"
NOBODY = "nobody alone can have chosen this deal"


def shown(match: Match) -> str:
    return " ".join(read(Client().get(f"/m/{match.code}/deal/")).text.split())


def opened(ana: User, words: str = "", bots: int = 1) -> Match:
    terms = Terms(game="gem", seats=2, time_control=THREE_DAYS, bots=[Seat.Bot.RANDOM] * bots)
    return open_table(ana, terms, words=words, now=NOON)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def fill_in(client: Client, **fields: str) -> Match:
    """Open a table on the web with one bot and the form's own values."""
    page = read(client.get("/tables/new/gem/"))
    form = {
        "seats": "2",
        "bots": "1",
        "strength": "random",
        "clock": "3d",
        "absence": "default",
        "access": "anyone",
        "starts_when_full": "on",
        "promised": page.fields["promised"],
        **fields,
    }
    response = client.post("/tables/new/gem/", form)
    assert response.status_code == 302, response.content.decode()
    return Match.objects.latest("pk")


def test_a_practice_match_does_not_claim_that_the_server_could_not_choose_its_deal() -> None:
    match = start_practice(make_user("ana"), "gem", now=NOON)
    text = shown(match)
    assert ALONE in text
    assert NOBODY not in text


def test_a_part_that_came_in_the_request_that_drew_the_secret_is_named_as_such() -> None:
    match = opened(make_user("ana"), words="seven owls")
    text = shown(match)
    assert "The part of seat A came together with the opening of the table" in text
    assert MAYBE in text
    assert "given by the player, but before the promise" in text
    assert ALONE not in text
    assert NOBODY not in text


def test_the_form_to_open_a_table_promises_its_secret_before_a_part_can_be_known() -> None:
    client = signed_in(make_user("ana"))
    promised = read(client.get("/tables/new/gem/")).fields["promised"]
    assert read(client.get("/tables/new/gem/")).fields["promised"] == promised, "it is drawn once"
    match = fill_in(client, words="seven owls")
    assert deal.fingerprint(match.server_part) == promised
    text = shown(match)
    assert "The part of seat A was given after the server had promised its secret" in text
    assert NOBODY in text
    assert promised in text, "whoever noted it finds it again"
    assert match.server_part not in text


@pytest.mark.parametrize("fields", [{}, {"bots": "0"}, {"seats": "3"}], ids=str)
def test_a_form_that_is_sent_twice_opens_one_table(fields: dict[str, str]) -> None:
    client = signed_in(make_user("ana"))
    promised = read(client.get("/tables/new/gem/")).fields["promised"]
    first = fill_in(client, promised=promised, **fields)
    assert fill_in(client, promised=promised, **fields) == first
    assert Match.objects.count() == 1
    other = fill_in(client, **{**fields, "promised": promised, "clock": "7d"})
    assert other != first, "whoever goes back and asks for something else gets it"


def test_what_is_wrong_with_the_form_draws_no_other_secret() -> None:
    client = signed_in(make_user("ana"))
    page = read(client.get("/tables/new/gem/"))
    refused = client.post("/tables/new/gem/", {"words": "owls", "promised": page.fields["promised"]})
    assert refused.status_code == 422
    assert read(refused).fields["promised"] == page.fields["promised"]


@pytest.mark.slow
def test_a_form_that_is_used_again_gives_no_two_tables_one_secret() -> None:
    client = signed_in(make_user("ana"))
    promised = read(client.get("/tables/new/gem/")).fields["promised"]
    one, two = (fill_in(client, words="owls", promised=promised, clock=clock) for clock in ("3d", "7d"))
    assert one.pk != two.pk
    assert one.server_part != two.server_part
    assert NOBODY in shown(one)
    assert MAYBE in shown(two), "its secret was drawn when the words were known"


def test_the_secret_that_was_drawn_for_somebody_else_is_nobodys() -> None:
    ana, eve = signed_in(make_user("ana")), signed_in(make_user("eve"))
    promised = read(ana.get("/tables/new/gem/")).fields["promised"]
    match = fill_in(eve, words="owls", promised=promised)
    assert deal.fingerprint(match.server_part) != promised
    assert MAYBE in shown(match)
    assert DrawnSecret.objects.filter(user__username="ana").exists()


def test_who_joins_or_replaces_a_part_later_has_made_sure() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = opened(ana, words="owls", bots=0)
    join_table(match.pk, ben, words="bats", now=NOON + HOUR)
    assert "The part of seat B was given after the server had promised" in shown(match)
    other = opened(ana, words="owls", bots=0)
    assert MAYBE in shown(other)
    give_part(other.pk, ana, "other owls", now=NOON + HOUR)
    assert "The part of seat A was given after the server had promised" in shown(other)


def test_a_part_goes_with_its_player_when_seats_move_up() -> None:
    ana, ben, cy = (make_user(name) for name in ("ana", "ben", "cy"))
    table = make_table(seats=3)
    for user, words in ((ana, ""), (ben, "bats"), (cy, "")):
        join_table(table.pk, user, words=words, now=NOON + HOUR)
    leave_table(table.pk, ana, now=NOON + HOUR)
    assert "The part of seat A was given after the server had promised" in shown(table)
    leave_table(table.pk, ben, now=NOON + HOUR)
    assert "No player has given a part yet" in shown(table)


def test_of_a_match_from_before_nothing_is_claimed_that_was_not_noted() -> None:
    match = opened(make_user("ana"), words="owls")
    Match.objects.filter(pk=match.pk).update(promised_at=None)
    Seat.objects.filter(match=match).update(part_at=None)
    text = shown(match)
    assert "It was not noted whether" in text
    assert NOBODY not in text


@pytest.mark.slow
@pytest.mark.parametrize(("words", "told"), [("", ALONE), ("owls", MAYBE)])
def test_the_mail_of_the_end_leads_to_the_page_that_says_it(words: str, told: str) -> None:
    match = play_to_the_end(opened(make_user("ana"), words=words))
    path = f"{match.get_absolute_url()}deal/"
    content = writer("finished")(OutboxMessage.objects.get(kind="finished"))
    assert content
    for part in (content.text, content.html or ""):
        assert path in part
    assert told in " ".join(read(Client().get(path)).text.split())


@pytest.mark.slow
def test_verify_says_who_gave_a_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    for words, told in ((("", ""), ALONE), (("", "bats"), "Parts given by players: B.")):
        table = make_table(seats=2)
        for user, own in zip((ana, ben), words, strict=True):
            join_table(table.pk, user, words=own, now=NOON + HOUR)
        match = play_to_the_end(start_match(table.pk, by=None, now=NOON + HOUR))
        path = tmp_path / f"{match.code}.match"
        path.write_text(record_text(match))
        assert main(["verify", str(path)]) == 0
        assert told in capsys.readouterr().out
