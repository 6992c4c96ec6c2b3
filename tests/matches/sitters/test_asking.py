"""Asking a sitter: who may ask and be asked, by mail and on the web."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from gemserver.accounts.models import Block, User
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.people.open_bot import open_bot
from gemserver.matches.actions.seats.ask_sitter import (
    agree_to_sit,
    end_sitting,
    propose_sitting,
    refuse_to_sit,
)
from gemserver.matches.log import match_log
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from tests.builders import NOON, asked, make_match, make_user
from tests.matches.sitters.sitting import (
    DAY,
    HOUR,
    SUNDAY,
    TODAY,
    log_of,
    mails_to,
    play_as,
    sit,
    write,
)
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


def test_who_is_asked_may_move_only_once_they_have_agreed(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "Eva", TODAY, SUNDAY, now=NOON)
    (question,) = mails_to(eva)
    assert f"{seat.user.username} asks you to play for them" in question.body
    assert seat.token not in str(question.message())
    with pytest.raises(Refused, match="not-seated"):
        play_as(eva, seat, "bid 1")
    assert write(sitting, "bid 1").results[0]["code"] == "not-seated"
    agree_to_sit(sitting.pk, eva, now=NOON)
    move = play_as(eva, seat, "bid 1")
    assert (move.seat, move.actor) == (seat.index, eva)
    entry = next(entry for entry in match_log.log(match, None) if entry.ply == move.ply)
    assert entry.played_by == "eva"


def test_the_log_says_who_plays_for_whom_and_how_long(match: Match, eva: User) -> None:
    sitting = sit(match, eva)
    name = sitting.player.username
    assert f"eva plays for {name} from 6 Mar 2026 through 8 Mar 2026." in log_of(match)
    end_sitting(sitting.pk, sitting.player, now=NOON + HOUR)
    assert f"eva does not play for {name} any more." in log_of(match)


def test_the_question_is_answered_by_mail(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    (question,) = mails_to(eva)
    assert question.reply_to == [sitting.reply_address]
    assert write(sitting, "agree").results[0]["outcome"] == "done"
    assert "eva plays for you in" in mails_to(seat.user)[-1].body
    assert write(sitting, "refuse", at=NOON + HOUR).results[0]["outcome"] == "done"
    assert "You play gem" in mails_to(seat.user)[-1].body.replace("GEM", "gem")


def test_a_refusal_is_told_to_the_player_and_frees_the_question(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    refuse_to_sit(sitting.pk, eva, now=NOON)
    assert "eva cannot play for you" in mails_to(seat.user)[-1].body
    assert "eva" not in log_of(match)
    make_user("finn")
    propose_sitting(match.pk, seat.user, "finn", TODAY, SUNDAY, now=NOON)


def test_who_cannot_be_asked(match: Match, eva: User) -> None:
    seat, other = asked(match), match.seats.get(is_waiting=False)
    assert seat.user
    assert other.user

    def propose(name: str, first: date = TODAY, last: date = SUNDAY) -> str:
        assert seat.user
        with pytest.raises(Refused) as refusal:
            propose_sitting(match.pk, seat.user, name, first, last, now=NOON)
        return refusal.value.code

    assert propose(seat.user.username) == "already-seated"
    assert propose(other.user.username) == "already-seated"
    assert propose("nobody") == "no-such-player"
    assert propose("eva", first=TODAY - DAY) == "bad-days"
    assert propose("eva", first=SUNDAY, last=TODAY) == "bad-days"
    assert propose("eva", last=TODAY + 61 * DAY) == "bad-days"
    make_user("guest-1", is_guest=True)
    assert propose("guest-1") == "no-such-player"
    Block.objects.create(user=eva, blocked=seat.user, created_at=NOON)
    assert propose("eva") == "no-such-player"


def test_one_at_a_time(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    assert propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON) == sitting
    with pytest.raises(Refused, match="open-sitting"):
        propose_sitting(match.pk, seat.user, make_user("finn").username, TODAY, SUNDAY, now=NOON + HOUR)


def test_one_person_is_asked_five_times_a_day_whatever_the_number_of_seats(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    others = [make_match(players=[seat.user, make_user(f"foe{number}")]) for number in range(4)]
    for other in others:
        propose_sitting(other.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    end_sitting(sitting.pk, seat.user, now=NOON)
    with pytest.raises(Refused, match="too-often"):
        propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON + HOUR)
    propose_sitting(match.pk, seat.user, make_user("finn").username, TODAY, SUNDAY, now=NOON + HOUR)


def test_a_seat_is_given_away_five_times_a_day_even_to_who_always_agrees(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    for _ in range(5):
        sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
        agree_to_sit(sitting.pk, eva, now=NOON)
        end_sitting(sitting.pk, seat.user, now=NOON)
    with pytest.raises(Refused, match="too-often"):
        propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON + HOUR)


def test_who_agrees_may_be_asked_on(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    for number in range(12):
        other = make_match(players=[seat.user, make_user(f"foe{number}")])
        agree_to_sit(propose_sitting(other.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON).pk, eva, now=NOON)


def test_a_person_with_their_bots_asks_ten_times_a_day_without_a_yes(match: Match) -> None:
    seat = asked(match)
    assert seat.user
    bot = open_bot(seat.user, "robin", now=NOON)
    for number in range(10):
        by = bot if number % 2 else seat.user
        other = make_match(players=[by, make_user(f"foe{number}")])
        propose_sitting(other.pk, by, make_user(f"friend{number}").username, TODAY, SUNDAY, now=NOON)
    with pytest.raises(Refused, match="too-often"):
        propose_sitting(match.pk, seat.user, make_user("finn").username, TODAY, SUNDAY, now=NOON + HOUR)
    propose_sitting(match.pk, seat.user, "finn", SUNDAY, SUNDAY, now=NOON + 30 * HOUR)


def test_what_an_ended_bot_has_asked_counts_for_its_owner(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    bot = open_bot(seat.user, "robin", now=NOON)
    for number in range(5):
        other = make_match(players=[bot, make_user(f"foe{number}")])
        question = propose_sitting(other.pk, bot, "eva", TODAY, SUNDAY, now=NOON)
        refuse_to_sit(question.pk, question.sitter, now=NOON)
    erase(bot, now=NOON)
    with pytest.raises(Refused, match="too-often"):
        propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON + HOUR)


def test_only_the_two_it_concerns_may_answer_or_end_it(match: Match, eva: User) -> None:
    seat, finn = asked(match), make_user("finn")
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    for act in (agree_to_sit, refuse_to_sit, end_sitting):
        with pytest.raises(Refused, match="nothing-asked"):
            act(sitting.pk, finn, now=NOON)
    with pytest.raises(Refused, match="nothing-asked"):
        agree_to_sit(sitting.pk, seat.user, now=NOON)


@pytest.mark.slow
def test_asking_agreeing_and_returning_on_the_web(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    own, sitters = signed_in(seat.user), signed_in(eva)
    url = match.get_absolute_url()
    form = {"do": "propose", "name": "eva", "first": "2026-03-06", "last": "2026-03-08"}
    assert "eva has been asked" in read(own.post(f"{url}sitter/", form, follow=True)).text
    question = read(sitters.get(url))
    assert f"{seat.user.username} asks you to play" in question.text
    answer = {"do": "agree", "sitting": question.fields["sitting"]}
    assert "Thank you" in read(sitters.post(f"{url}sitter/", answer, follow=True)).text
    page = read(own.get(url))
    assert "eva plays for you" in page.text
    back = {"do": "end", "sitting": page.fields["sitting"]}
    assert "You play this seat yourself." in read(own.post(f"{url}sitter/", back, follow=True)).text


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"do": "propose", "name": "eva"}, "required"),
        ({"do": "agree", "sitting": "x"}, "nothing to answer"),
        ({"do": "end"}, "nothing to answer"),
    ],
)
def test_what_cannot_be_is_said(match: Match, eva: User, form: dict[str, str], sentence: str) -> None:
    client: Client = signed_in(asked(match).user or eva)
    url = f"{match.get_absolute_url()}sitter/"
    assert sentence in read(client.post(url, form, follow=True)).text


def test_a_question_that_is_refused_stays_in_its_form(match: Match, eva: User) -> None:
    client: Client = signed_in(asked(match).user or eva)
    today, sunday = TODAY.isoformat(), SUNDAY.isoformat()
    form = {"do": "propose", "name": "nobody-here", "first": today, "last": sunday}
    answer = client.post(f"{match.get_absolute_url()}sitter/", form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "details open" in page
    assert "autofocus" in page
    for typed in ("nobody-here", today, sunday):
        assert f'value="{typed}"' in page
    assert "There is no player nobody-here" in read(answer).text


def test_the_first_page_shows_questions_and_the_seats_one_plays_for_others(match: Match, eva: User) -> None:
    seat = asked(match)
    assert seat.user
    client = signed_in(eva)
    sitting = propose_sitting(match.pk, seat.user, "eva", TODAY, SUNDAY, now=NOON)
    assert "You are asked to play for somebody" in read(client.get("/")).text
    agree_to_sit(sitting.pk, eva, now=NOON)
    page = read(client.get("/")).text
    assert "You are asked to play" not in page
    assert f"for {seat.user.username}, with" in page
    end_sitting(sitting.pk, seat.user, now=NOON)
    assert f"for {seat.user.username}, with" not in read(client.get("/")).text
