"""Plans, sealed orders, undo and the proof of a deal, on pages."""

from __future__ import annotations

import re
import tracemalloc
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from games import deal, registry
from games.chance import NO_SEED, Chance
from games.foresight import imagine_turn
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.accepted_words import say_accepted
from gemserver.matches.actions.play.propose_undo import propose_undo
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import Match, Move, SealedOrder, Seat, StoredPlan
from gemserver.matches.prompts import position_to_answer
from tests.builders import NOON, make_match, make_user, play, play_to_the_end, play_until
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part=DEAL)


@pytest.fixture
def sealed(players: list[User]) -> Match:
    return make_match(players=players, options={"pace": "sealed"}, server_part=DEAL)


def holder(match: Match, index: int) -> User:
    user = Seat.objects.select_related("user").get(match=match, index=index % match.seat_count).user
    assert user
    return user


def foresight_of(match: Match, seat: int) -> Any:
    chance = Chance(NO_SEED, "any turn that may come")
    return imagine_turn(registry.game(match.game), replay.position(match), seat, chance)


def oya(match: Match) -> int:
    return int(replay.position(match).oya)


def send(client: Client, match: Match, do: str, **fields: Any) -> Any:
    return client.post(f"/m/{match.code}/orders/", {"do": do, **fields})


@pytest.mark.slow
def test_a_plan_is_kept_shown_to_its_owner_alone_replaced_and_cleared(match: Match) -> None:
    client = signed_in(holder(match, oya(match) + 1))
    shown = read(client.get(f"/m/{match.code}/"))
    response = client.post(
        f"/m/{match.code}/orders/",
        {
            "do": "store",
            "plan": "bid 6 else pass\ntake SR pay 1 2 3",
            "request_id": shown.fields["request_id"],
            "seen_ply": shown.fields["seen_ply"],
        },
        follow=True,
    )
    page = read(response)
    assert "Your plan is kept: bid 6 else pass; take SR pay 1 2 3." in page.text
    assert "For day 1 auction 1. Its next line comes first: bid 6 else pass take SR pay 1 2 3" in page.text
    for other in (Client(), signed_in(holder(match, oya(match))), signed_in(make_user("dee"))):
        assert "pay 1 2 3" not in read(other.get(f"/m/{match.code}/")).text
    send(client, match, "store", plan="always\npass", request_id="two")
    assert read(client.get(f"/m/{match.code}/")).text.count("It holds for as long as you leave it.") == 1
    send(client, match, "clear")
    assert StoredPlan.objects.filter(end="").count() == 0


def test_a_plan_that_is_refused_stays_in_its_field_with_the_reason(match: Match) -> None:
    client = signed_in(holder(match, oya(match) + 1))
    response = send(client, match, "store", plan="bid 1 else frobnicate", request_id="x")
    assert response.status_code == 422
    page = response.content.decode()
    assert "“frobnicate” is not understood here" in page
    assert "bid 1 else frobnicate</textarea>" in page


def test_a_plan_written_on_an_old_page_is_refused(match: Match) -> None:
    client = signed_in(holder(match, oya(match)))
    first = oya(match)
    for step, text in enumerate(("bid 0", "bid 1", "pass")):
        play(match, (first + step) % 3, text)
    card = replay.position(Match.objects.get(pk=match.pk)).open[0]
    play(match, (first + 1) % 3, f"take {card} pay 1")
    response = send(client, match, "store", plan="bid 1", request_id="x", seen_ply="0")
    assert response.status_code == 422
    assert "what it was meant for is over" in response.content.decode()


def find_example(client: Client, match: Match) -> str:
    page = client.get(f"/m/{match.code}/").content.decode()
    return page.partition("For example: <kbd>")[2].partition("</kbd>")[0]


@pytest.mark.parametrize("slug", registry.OWN)
def test_the_form_of_a_plan_shows_a_line_that_can_be_kept(slug: str, players: list[User]) -> None:
    match = make_match(slug, players=players[:2], server_part=DEAL)
    waits = match.seats.filter(is_waiting=False).first()
    index = waits.index if waits else 0
    client = signed_in(holder(match, index))
    example = find_example(client, match)
    assert " else " in example
    assert send(client, match, "store", plan=example, request_id="x").status_code == 302
    assert f"<kbd>{example}</kbd>" in client.get(f"/m/{match.code}/").content.decode()


def test_a_plan_is_shown_in_words_too(players: list[User]) -> None:
    match = make_match("florentine", players=players[:2], server_part=DEAL)
    seat = match.seats.get(is_waiting=False)
    client = signed_in(holder(match, seat.index))
    card = replay.position(match).hands[seat.index][0]
    plan = next(
        move.text
        for move in match.rules.steps(foresight_of(match, seat.index), seat.index, f"place {card}")
        if move.complete
    )
    send(client, match, "store", plan=plan, request_id="x")
    _, _, cell, facing = plan.split()
    side = {"N": "north", "E": "east", "S": "south", "W": "west"}[facing]
    shown = read(client.get(f"/m/{match.code}/")).text
    assert f"{plan} Place {card}" in shown
    assert re.search(rf"Your plan is kept: “Place {card}[^”]+ on {cell}, facing {side}” \({plan}\)\.", shown)
    assert f"on {cell}, facing {side}" in shown


def test_a_sealed_order_is_shown_in_words_too(players: list[User]) -> None:
    match = make_match("jewellers", players=players[:2], options={"pace": "sealed"}, server_part=DEAL)
    match = play_until(match, lambda reached: bool(reached.rules.bidders(replay.position(reached))))
    seat = next(seat for seat in match.read_seats() if seat.is_waiting)
    position = position_to_answer(match, replay.position(match), seat.index)
    texts = (match.rules.write(move) for move in match.rules.legal_moves(position, seat.index))
    bid = next(text for text in texts if text.startswith("bid ") and len(text.split()) == 2)
    said = say_accepted(play(match, seat.index, f"{bid} else pass"))
    words = f"Add {bid.split()[1]}, otherwise Pass"
    assert said == f"Sealed: “{words}” ({bid} else pass). Until all are in, you may change it."
    shown = read(signed_in(holder(match, seat.index)).get(f"/m/{match.code}/")).text
    assert f"You sealed {bid} else pass" in shown
    assert words in shown


@pytest.mark.slow
def test_a_sealed_order_is_sent_by_the_move_form_and_shown_in_its_place_with_its_fingerprint(
    sealed: Match,
) -> None:
    client = signed_in(holder(sealed, oya(sealed)))
    page = read(client.get(f"/m/{sealed.code}/"))
    assert "Sealed auction: all write their bid at once" in page.text
    assert ("choose", "bid 6") in page.buttons
    for text in ("bid 2", "bid 3"):
        fields = read(client.get(f"/m/{sealed.code}/")).fields
        prompt, request_id = fields["prompt_ply"], fields["request_id"]
        form = {"text": text, "prompt_ply": prompt, "request_id": request_id, "play": "1"}
        answer = read(client.post(f"/m/{sealed.code}/", form, follow=True))
        assert f"Sealed: {text}. Until all are in, you may change it." in answer.text
    laid = SealedOrder.objects.latest("pk")
    assert (laid.version, laid.text) == (2, "bid 3")
    assert "You sealed bid 3 For day 1 auction 1." in answer.text
    assert "This is your answer number 2; it replaces the one before. It becomes final by " in answer.text
    covered = f"{sealed.code}|day 1 auction 1|{'ABC'[laid.seat]}|2|{laid.salt}|bid 3"
    assert covered in answer.text
    assert laid.hash == sha256(covered.encode()).hexdigest()
    for other in (Client(), signed_in(holder(sealed, oya(sealed) + 1))):
        seen = read(other.get(f"/m/{sealed.code}/"))
        assert laid.hash not in seen.text
        assert f"/m/{sealed.code}/deal/#sealed" in seen.links
        proof = read(other.get(f"/m/{sealed.code}/deal/"))
        assert laid.hash in proof.text, "everybody can keep the fingerprint"
        assert "2 fingerprints" in proof.text, "of the first version too"
        assert laid.salt not in seen.text + proof.text
        assert "Sealed: " not in seen.text


def test_while_orders_are_collected_the_others_see_who_is_waited_for(sealed: Match) -> None:
    first = oya(sealed)
    submit(
        Request(sealed.code, Actor.player(holder(sealed, first)), "bid 1", Move.Source.WEB, "one"), now=NOON
    )
    page = read(Client().get(f"/m/{sealed.code}/"))
    waiting = [seat.name for seat in sealed.seats.filter(is_waiting=True)]
    assert f"Waiting for: {', '.join(waiting)}." in page.text


@pytest.mark.slow
def test_undo_is_asked_for_and_answered_on_the_page(match: Match) -> None:
    first = oya(match)
    client = signed_in(holder(match, first))
    assert ("do", "undo") not in read(client.get(f"/m/{match.code}/")).buttons
    play(match, first, "bid 5")
    assert ("do", "undo") in read(client.get(f"/m/{match.code}/")).buttons
    send(client, match, "undo")
    told = read(client.get(f"/m/{match.code}/")).text
    assert "The match goes back to before move 1 when all others agree; they are asked." in told
    for step in (1, 2):
        other = signed_in(holder(match, first + step))
        page = read(other.get(f"/m/{match.code}/"))
        assert f"{holder(match, first).username} asks to take a move back" in page.text
        assert ("do", "agree") in page.buttons
        send(other, match, "agree")
    assert Match.objects.get(pk=match.pk).ply == 0


def test_a_refused_undo_leaves_everything_as_it_was(match: Match) -> None:
    first = oya(match)
    play(match, first, "bid 5")
    propose_undo(match.pk, holder(match, first), now=NOON)
    send(signed_in(holder(match, first + 1)), match, "refuse")
    assert Match.objects.get(pk=match.pk).ply == 1
    assert "does not agree to taking moves back" in read(Client().get(f"/m/{match.code}/")).text


def test_who_does_not_sit_there_can_do_none_of_it(match: Match) -> None:
    stranger = signed_in(make_user("dee"))
    assert send(stranger, match, "store", plan="pass").status_code == 404
    assert send(stranger, match, "undo").status_code == 404
    assert send(Client(), match, "store", plan="pass").status_code == 302
    assert not StoredPlan.objects.exists()
    assert "Your plan" not in read(stranger.get(f"/m/{match.code}/")).text


@pytest.mark.slow
def test_the_deal_page_lets_everybody_check_commitment_parts_and_seed(match: Match) -> None:
    Match.objects.filter(pk=match.pk).update(
        commitment=deal.commitment(match.code, "gem", 1, match.options, DEAL)
    )
    before = Client().get(f"/m/{match.code}/deal/").content.decode()
    assert DEAL not in before
    match = play_to_the_end(Match.objects.get(pk=match.pk))
    page = Client().get(f"/m/{match.code}/deal/").content.decode()
    checks = [
        (f"{match.code}|gem 1|{match.options}|{DEAL}", match.commitment),
        *((f"{DEAL}|{seat.index}", seat.part) for seat in match.seats.all()),
        ("|".join([DEAL, *(seat.part for seat in match.seats.all())]), replay.seed(match)),
    ]
    for text, expected in checks:
        assert f'data-text="{text}" data-sha256="{expected}"' in page
        assert sha256(text.encode()).hexdigest() == expected
    assert f"python -m games verify {match.code}.match" in page
    assert "sha256sum" in page, "and how to do it without a script"


def test_what_of_a_plan_cannot_be_played_is_told_when_it_is_kept_and_on_the_page(match: Match) -> None:
    client = signed_in(holder(match, oya(match) + 1))
    form = {"do": "store", "plan": "bid 99 else pass", "request_id": "one"}
    page = read(client.post(f"/m/{match.code}/orders/", form, follow=True))
    assert (
        "Your plan is kept: bid 99 else pass. As things stand, this part of it cannot be played: bid 99."
        in (page.text)
    )
    assert "bid 99 99 is more than you can pay: your active coins and cards are worth 6." in page.text


def test_a_plan_that_has_won_is_not_called_dropped_on_the_page(match: Match) -> None:
    first = oya(match)
    client = signed_in(holder(match, first + 1))
    send(client, match, "store", plan="bid 2 else bid 3 else pass", request_id="one")
    play(match, first, "bid 2")
    play(match, (first + 2) % 3, "pass")
    page = read(client.get(f"/m/{match.code}/"))
    assert "You win the auction at 3" in page.text
    assert "the plan was dropped" not in page.text
    assert (
        "Your plan is used up (its last line was bid 2 else bid 3 else pass), and you decide what follows."
        in page.text
    )


@pytest.fixture
def auction(players: list[User]) -> Match:
    """A sealed auction of Jewellers that waits for everybody's orders."""
    match = make_match("jewellers", players, options={"pace": "sealed"}, server_part=DEAL)
    play(match, min(match.rules.waiting_on(replay.position(match))), "draw medium")
    return Match.objects.get(pk=match.pk)


def seal(client: Client, match: Match, button: str = "play", **typed: str) -> Any:
    fields = read(client.get(f"/m/{match.code}/")).fields
    hidden = {name: fields[name] for name in ("prompt_ply", "request_id")}
    return client.post(f"/m/{match.code}/", hidden | typed | {button: "1"}, follow=True)


@pytest.mark.slow
def test_a_sealed_bidder_is_offered_a_limit_for_the_whole_auction_first(auction: Match) -> None:
    client = signed_in(holder(auction, 0))
    response = client.get(f"/m/{auction.code}/")
    page, source = read(response), response.content.decode()
    assert "Bid up to this total, otherwise pass" in page.text
    assert source.index('name="number"') < source.index('class="choices"')
    assert "<details" not in source[source.index('id="move"') : source.index('name="number"')], (
        "it stands open"
    )
    assert "a bid is made once, and when somebody goes higher, you pass" in page.text
    order = page.fields["order"]
    answer = read(seal(client, auction, order=order, number="17"))
    assert "Sealed: up to 17 else pass. Until" in answer.text
    answer = read(seal(client, auction, order=order, number=" 9 "))
    assert SealedOrder.objects.latest("pk").text == "up to 9 else pass"


@pytest.mark.parametrize(
    ("text", "number", "button", "sealed"),
    [
        ("", "17", "1", "up to 17 else pass"),
        ("", "17", "limit", "up to 17 else pass"),
        ("bid 5", "17", "1", "bid 5"),
        ("bid 5", "17", "limit", "up to 17 else pass"),
        ("bid 5", "", "1", "bid 5"),
        ("bid 5", "", "limit", None),
        ("", "", "limit", None),
    ],
)
def test_a_limit_is_sealed_by_either_button_and_never_something_else(
    auction: Match, text: str, number: str, button: str, sealed: str | None
) -> None:
    client = signed_in(holder(auction, 0))
    fields = read(client.get(f"/m/{auction.code}/")).fields
    sent = {name: fields[name] for name in ("prompt_ply", "request_id", "order")}
    client.post(f"/m/{auction.code}/", sent | {"text": text, "number": number, "play": button})
    assert [order.text for order in SealedOrder.objects.all()] == ([sealed] if sealed else [])


@pytest.mark.parametrize("path", ["", "orders/"])
def test_two_fields_of_a_form_are_not_multiplied_into_a_long_text(match: Match, path: str) -> None:
    """40 kB that were sent made an order of 400 MB."""
    client = signed_in(holder(match, 0))
    fields = {"do": "store", "order": "#" * 20_000, "number": "9" * 20_000, "prompt_ply": "0"}
    tracemalloc.start(1)
    try:
        assert client.post(f"/m/{match.code}/{path}", fields).status_code == 422
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_an_answer_that_will_be_sealed_is_not_called_played(sealed: Match, match: Match) -> None:
    buttons = read(signed_in(holder(sealed, 0)).get(f"/m/{sealed.code}/")).text
    assert "Seal bid" in buttons
    assert " Play " not in buttons
    assert " Play " in read(signed_in(holder(match, oya(match))).get(f"/m/{match.code}/")).text


def test_what_was_sealed_stands_in_the_place_of_the_form_which_folds(sealed: Match) -> None:
    client = signed_in(holder(sealed, oya(sealed)))
    source = seal(client, sealed, text="bid 2").content.decode()
    panel = source[source.index('<section id="move"') :]
    assert panel.index("You sealed <kbd>bid 2</kbd>") < panel.index('<details id="change"><summary>Change')
    assert panel.index('<details id="change">') < panel.index('id="text"')
    refused = seal(client, sealed, text="bid 99").content.decode()
    assert '<details id="change" open>' in refused


def test_gem_asks_a_sealed_bidder_for_a_limit_but_not_the_oya_who_bids_first(sealed: Match) -> None:
    first = oya(sealed)
    assert "Bid up to this total" not in read(signed_in(holder(sealed, first)).get(f"/m/{sealed.code}/")).text
    client = signed_in(holder(sealed, first + 1))
    page = read(client.get(f"/m/{sealed.code}/"))
    answer = read(seal(client, sealed, order=page.fields["order"], number="4"))
    assert "You sealed up to 4 else pass" in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("game", ["gem", "jewellers"])
def test_a_plan_asks_for_a_limit_first_and_writes_the_order(players: list[User], game: str) -> None:
    match = make_match(game, players=players, server_part=DEAL)
    first = min(match.rules.waiting_on(replay.position(match)))
    if game == "jewellers":
        play(match, first, "draw medium")
    client = signed_in(holder(match, first + 1))
    source = client.get(f"/m/{match.code}/").content.decode()
    panel = source[source.index('id="orders"') :]
    assert panel.index('name="number"') < panel.index("Advanced: write a plan") < panel.index('name="plan"')
    fields = {"order": read(client.get(f"/m/{match.code}/")).fields["order"], "number": " 6 "}
    answer = read(
        client.post(f"/m/{match.code}/orders/", {"do": "store", "request_id": "one", **fields}, follow=True)
    )
    assert "Your plan is kept: up to 6 else pass." in answer.text
    other = read(signed_in(holder(match, first)).get(f"/m/{match.code}/"))
    assert "up to 6" not in other.text
    play(match, first, "bid 0" if game == "gem" else "bid 3")
    assert match.moves.order_by("-ply").first().source == Move.Source.PLAN  # type: ignore[union-attr]


def test_a_plan_with_a_limit_that_is_no_number_is_refused(match: Match) -> None:
    client = signed_in(holder(match, oya(match) + 1))
    response = send(client, match, "store", order="up to # else pass", number="x", request_id="one")
    assert response.status_code == 422
    assert not StoredPlan.objects.exists()


def test_the_question_of_an_undo_stands_at_the_top_and_names_the_move(match: Match) -> None:
    first = oya(match)
    play(match, first, "bid 5")
    propose_undo(match.pk, holder(match, first), now=NOON)
    name = holder(match, first).username
    source = signed_in(holder(match, first + 1)).get(f"/m/{match.code}/").content.decode()
    assert source.index("asks to take a move back") < source.index('<section id="move"')
    asked = read(signed_in(holder(match, first + 1)).get(f"/m/{match.code}/"))
    assert f"{name} asks to take a move back Move 1: {name} bids 5." in asked.text
    assert ("do", "agree") in asked.buttons
    own = read(signed_in(holder(match, first)).get(f"/m/{match.code}/"))
    assert "You ask to take your last move back Move 1: You bid 5." in own.text
    assert ("do", "agree") not in own.buttons
    assert ("do", "undo") not in own.buttons, "it is asked already"
    assert "asks to take a move back" not in read(Client().get(f"/m/{match.code}/")).text


def test_the_question_of_a_holiday_stands_at_the_top_with_its_proposer(match: Match) -> None:
    first = clock.now().date() + timedelta(days=2)
    propose_holiday(match.pk, holder(match, 0), first, first, now=clock.now())
    source = signed_in(holder(match, 1)).get(f"/m/{match.code}/").content.decode()
    asks = f"{holder(match, 0).username} proposes days off for the whole table"
    assert source.index(asks) < source.index('<section id="move"')
    assert "You propose days off" in signed_in(holder(match, 0)).get(f"/m/{match.code}/").content.decode()
    assert asks not in Client().get(f"/m/{match.code}/").content.decode().partition('id="log"')[0]


def test_after_a_sealed_auction_nobody_is_offered_to_take_it_back(sealed: Match) -> None:
    """Regression: it was offered, and always refused."""
    first = oya(sealed)
    for step, text in enumerate(("bid 1", "bid 2", "pass")):
        play(sealed, (first + step) % 3, text)
    for step in range(3):
        page = read(signed_in(holder(sealed, first + step)).get(f"/m/{sealed.code}/"))
        assert ("do", "undo") not in page.buttons


@pytest.mark.slow
def test_a_limit_that_is_no_number_is_refused_with_a_sentence(auction: Match) -> None:
    client = signed_in(holder(auction, 0))
    for number in ("", "x", "-1", "1 1", "9" * 40):
        response = seal(client, auction, order="up to # else pass", number=number)
        assert response.status_code == 422, number
        assert b'class="refusal"' in response.content
    assert not SealedOrder.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("text", ["up to 7", "bid up to 7"])
def test_both_ways_to_write_a_limit_are_one_order(auction: Match, text: str) -> None:
    client = signed_in(holder(auction, 0))
    shown = read(seal(client, auction, "preview", text=text))
    assert "Preview of up to 7: nothing has been played." in shown.text
    assert shown.fields["text"] == "up to 7"
    assert "Sealed: up to 7. Until" in read(seal(client, auction, text=text)).text
    assert SealedOrder.objects.get().text == "up to 7"


def test_an_order_with_alternatives_is_looked_at_before_it_is_sealed(auction: Match) -> None:
    """Regression: this answered 500, because an order is not the beginning of a move."""
    response = seal(signed_in(holder(auction, 1)), auction, "preview", text="up to 17 else pass")
    assert response.status_code == 200
    assert "Preview of up to 17 else pass" in read(response).text


@pytest.mark.slow
def test_who_goes_up_to_a_limit_is_not_out_after_one_step(auction: Match) -> None:
    first = min(auction.rules.waiting_on(replay.position(auction)))
    seal(signed_in(holder(auction, first)), auction, text="bid 5")
    seal(signed_in(holder(auction, first + 1)), auction, order="up to # else pass", number="4")
    seal(signed_in(holder(auction, first + 2)), auction, order="up to # else pass", number="9")
    sale = replay.position(Match.objects.get(pk=auction.pk)).sales[0]
    assert (sale.buyer, sum(sale.cards)) == ((first + 2) % 3, 6)


def test_gem_reads_a_limit_and_says_what_it_is_short_for(sealed: Match) -> None:
    answer = read(seal(signed_in(holder(sealed, oya(sealed) + 1)), sealed, text="bid up to 3 else pass"))
    assert "Sealed: up to 3 else pass. Until" in answer.text
    assert SealedOrder.objects.get().text == "bid 1 else bid 2 else bid 3 else pass"


def test_what_of_a_sealed_order_cannot_be_played_is_told_beside_it(sealed: Match) -> None:
    answer = read(seal(signed_in(holder(sealed, oya(sealed) + 1)), sealed, text="bid 99 else bid 3"))
    assert (
        "As things stand, this part of it cannot be played: bid 99 99 is more than you can pay" in answer.text
    )
