"""Text in a mail that looks like a move by chance: initials below it, the end of a wrapped sentence."""

from __future__ import annotations

from typing import Any

import pytest

from games import registry
from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.mailgate.lines.commands import MoveLine, read_lines
from gemserver.mailgate.lines.meaning import reading_error
from gemserver.mailgate.reading.sentences import ends_sentence
from gemserver.matches import replay
from gemserver.matches.models import ChatMessage, Match, Move, Seat
from tests.builders import asked, make_match, make_user, play
from tests.mailgate.letters import letter, receive
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.quick import crossed

pytestmark = pytest.mark.django_db

SIGN_OFFS = (
    "P",
    "Pa",
    "pa.",
    "K",
    "k.",
    "M",
    "Ke",
    "- P",
    "p.",
    "P!",
    "*P*",
    "Best,\nP.",
    "Cheers\nPa",
    "D",
    "De",
    "D S",
    "Dis R",
)


@pytest.fixture
def seat(match: Match) -> Seat:
    """The seat that is asked after the first bid, and may pass."""
    play(match, asked(match).index, "bid 1", now=clock.now())
    return asked(Match.objects.get(pk=match.pk))


def moves_of(seat: Seat) -> int:
    return Move.objects.filter(match=seat.match_id, source="mail").count()


def played(row: Any) -> list[str]:
    return [result["line"] for result in row.results if result["outcome"] in {"done", "refused"}]


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGN_OFFS)
def test_initials_below_a_reply_play_nothing(seat: Seat, player: User, name: str) -> None:
    """mail-requirements.md T6: `P` played pass for people who sign so."""
    row = receive(seat, letter(seat, f"say Well met.\n\n{name}"))
    assert played(row) == ["say Well met."]
    assert moves_of(seat) == 0


def test_nor_as_the_subject(seat: Seat, player: User) -> None:
    assert "done" not in codes(write(player, "", to=seat.reply_address, subject="P"))


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(registry.GAMES))
def test_no_beginning_of_a_move_without_number_is_one(slug: str) -> None:
    """In every game, for every question: each beginning of the first word, alone and with the rest of the move."""
    match = make_match(slug, [make_user("ana"), make_user("ben")], now=clock.now())
    tried = 0
    for _ in range(25):
        match = Match.objects.get(pk=match.pk)
        seat = match.seats.select_related("user", "match").filter(is_waiting=True).first()
        if seat is None:
            break
        text = some_move(match, seat)
        word, _, rest = text.partition(" ")
        for size in range(1, len(word)):
            for line in (word[:size], f"{word[:size]} {rest}".strip()):
                if not any(map(str.isdecimal, line)):
                    tried += 1
                    assert reading_error(match, seat, line) is not None, line
        assert reading_error(match, seat, text) is None
        receive(seat, letter(seat, text, Message_ID=f"<{slug}.{match.ply}@client.example.org>"))
    assert tried


def some_move(match: Match, seat: Seat) -> str:
    state = replay.position(match)
    move = match.rules.random_move(state, seat.index, Chance("0" * 64, f"any {match.ply}"))
    return match.rules.write(move)


PROSE = (
    "I think I will have to",
    "After a long night and with some regret,",
    "You leave me no choice but to",
    "Ich muss wohl",
    "Je dois",
    "I will",
    "and then I can only say that there is nothing else left to do here but to",
    "Thanks, I will",
)


@pytest.mark.slow
@pytest.mark.parametrize(("prose", "word"), crossed(PROSE, ("pass", "pass.", "Pass", "bid 3.")))
def test_the_end_of_a_wrapped_sentence_is_no_move(seat: Seat, player: User, prose: str, word: str) -> None:
    """mail-requirements.md T6: `I think I will have to` / `pass.` passed."""
    row = receive(seat, letter(seat, f"{prose}\n{word}"))
    assert codes(row)[-1] == "cut-off"
    assert "below an empty line" in one_line(sent_to(player)[-1])
    assert moves_of(seat) == 0


@pytest.mark.parametrize(
    "word", ["agree", "refuse.", "undo", "leave", "start", "mail off", "unsubscribe", "say so"]
)
def test_nor_a_command(seat: Seat, player: User, word: str) -> None:
    assert played(receive(seat, letter(seat, f"As far as I can see we both should\n{word}"))) == []


ABOVE = (
    "Hi Ben",
    "Hi Ben,",
    "Dear Ben,",
    "Ben,",
    "Thanks",
    "Thanks for the game!",
    "Nice one",
    "Good move, Ben",
    "Hallo zusammen,",
    "Merci beaucoup",
    "What a night. :)",
    "Well played 👏",
    "I am sorry.",
    "Is that so?",
    "I think I will have to\n",
    "say see you",
    "say See you at the club on Friday, I bring the cake and the coffee too.",
    "status",
    "> I think I will have to",
)


@pytest.mark.slow
@pytest.mark.parametrize(("above", "word"), crossed(ABOVE, ("pass", "Pass.", "bid 2")))
def test_a_move_below_a_greeting_or_a_whole_sentence_is_played(
    seat: Seat, player: User, above: str, word: str
) -> None:
    row = receive(seat, letter(seat, f"{above}\n{word}"))
    assert codes(row)[-1] == "done"


def test_a_new_sentence_with_a_capital_letter_is_a_move(seat: Seat, player: User) -> None:
    assert codes(receive(seat, letter(seat, "you have all the good cards\nBid 2")))[-1] == "done"


def test_the_rest_of_what_a_program_wrapped_is_neither_said_nor_played(seat: Seat, player: User) -> None:
    said = "say I have thought about this for the whole of the night, and I must say"
    assert codes(receive(seat, letter(seat, f"{said}\npass"))) == ["talk-or-move"]
    assert not ChatMessage.objects.exists()
    assert not Move.objects.filter(source="mail").exists()
    assert read_lines(f"{said}.\npass")[1] == MoveLine("pass")
    assert read_lines("say hello\npass")[1] == MoveLine("pass")


def test_a_line_that_names_its_match_or_prompt_is_meant(seat: Seat, player: User) -> None:
    assert (
        codes(receive(seat, letter(seat, "this is for the\nM1: pass".replace("M1", seat.match.code))))[-1]
        == "done"
    )


@pytest.mark.parametrize(
    "line", ["a.", "a!", "a?", "a…", "a:", "a :)", "a ;-)", "(a.)", "“a.”", "a 👍", "Hi", ""]
)
def test_what_ends_a_sentence(line: str) -> None:
    assert ends_sentence(line)


@pytest.mark.parametrize("line", ["a", "a,", "I think (so", "not (a)", "a -", "I", "I'd", "Hi I think"])
def test_what_leaves_a_sentence_open(line: str) -> None:
    assert not ends_sentence(line)


@pytest.mark.parametrize(
    "above", ["you have all the good cards", "not again", "haha das war knapp", "bien vu"]
)
def test_a_move_below_a_line_without_full_stop_is_played(seat: Seat, player: User, above: str) -> None:
    receive(seat, letter(seat, f"{above}\nbid 3"))
    assert moves_of(seat) == 1


def test_but_not_below_a_line_that_a_program_has_wrapped(seat: Seat, player: User) -> None:
    above = "I have thought about it the whole morning and do not want to have to"
    receive(seat, letter(seat, f"{above}\nbid 3 after all"))
    receive(seat, letter(seat, f"{above}\nbid 3"))
    assert moves_of(seat) == 0


@pytest.mark.parametrize(
    "body",
    [
        "bid 3\nIs that ok?",
        "I bid 3\nOr should I wait?",
        "Ich biete 3\nGeht das?",
        "Je mise 3\nC'est permis ?",
        "I bid 3\nok?",
        "Ben wrote:\nbid 3",
        "what if\nI bid 3",
        "Vielleicht:\nIch biete 3",
        "Dans mon dernier mail :\nJe mise 3",
    ],
)
def test_a_move_that_the_next_line_puts_in_doubt_is_offered(seat: Seat, player: User, body: str) -> None:
    row = receive(seat, letter(seat, body))
    assert moves_of(seat) == 0
    assert ["bid 3"] in [result["candidates"] for result in row.results]


@pytest.mark.parametrize(
    "body", ["bid 3\nHow are you?", "My move:\nbid 3", "Ben, as you said.\nbid 3", "I bid 3\nOk, thanks!"]
)
def test_a_move_beside_a_line_that_says_nothing_of_it_is_played(seat: Seat, player: User, body: str) -> None:
    receive(seat, letter(seat, body))
    assert moves_of(seat) == 1


@pytest.mark.parametrize("below", ["(not serious)", "Nah.", "Schlechte Idee", "Je rigole", "As if!"])
def test_a_move_that_the_next_line_laughs_off_is_not_played(seat: Seat, player: User, below: str) -> None:
    assert "taken-back" in codes(receive(seat, letter(seat, f"bid 3\n{below}")))
    assert moves_of(seat) == 0


def test_a_preview_may_be_asked_about(seat: Seat, player: User) -> None:
    assert codes(receive(seat, letter(seat, "preview bid 3\nIs that ok?")))[0] == "shown"


@pytest.mark.parametrize(
    "text",
    [
        "To play, write: bid 3",
        "Pour jouer, écrivez : bid 3",
        "What does this mean?\n\nTo play, write:  bid 3",
        "Help, what should I do with\n\nTo play, write: bid 3",
        "- bid 3",
        "* bid 3",
        "• bid 3",
        "→ bid 3",
        "1) bid 3",
        "1. bid 3",
        "Options:\n1) bid 2\n2) bid 3\n\nI'd like 2.",
        "❌ bid 3",
        "🚫 bid 3",
        "bid 3 👎",
        "❓ bid 3",
        "☐ bid 3",
        "❌ bid 2\n☐ bid 3",
    ],
)
def test_what_stands_in_a_list_or_is_shown_plays_nothing_and_is_offered(
    seat: Seat, player: User, text: str
) -> None:
    """Notation: nothing else may stand on the line of a move."""
    before = Move.objects.count()
    write(seat.user, text, to=seat.reply_address)
    assert Move.objects.count() == before
    assert "bid 3" in one_line(sent_to(seat.user)[-1])


@pytest.mark.parametrize(
    "body",
    [
        "I bid 3 i have to think",
        "I bid 3 i hope not",
        "I bid 3 it's up to you",
        "I bid 3 i'm only asking",
        "the bid of 3 i have seen",
        "a bid of 3 it's too high",
        "I bid 3, it's not my turn",
        "ich biete 3 muss noch überlegen",
        "ich biete 3 habe ich nicht",
        "ich biete 3 bin am überlegen",
        "ich würde 3 bieten wenn ich könnte bitte",
        "je mise 3 j'ai besoin de réfléchir",
        "je mise 3 c'est pas à moi",
        "je miserais 3 si j'étais toi, merci",
        "My opening offer would be 3 if I had it, thank you",
        "1 already? should I bid 3",
        "Has Ben 2, I bid 3",
        "I bid 3, I'm torn",
        "I bid 3. I can't make up my mind.",
        "I bid 3, sent by accident",
        "I bid 3, I don't really mean it",
        "I bid 3, pending approval",
        "I bid 3, recommends the hint",
        "I bid 3, next Monday",
        "ich biete 3, bin noch unschlüssig",
        "ich biete 3, falscher chat",
        "ich biete 3, ich bestätige später",
        "ich biete 3, im prinzip",
        "je mise 3, je n'arrive pas à me décider",
        "je mise 3, je dois vérifier",
        "je mise 3, ce n'est pas sérieux",
    ],
)
def test_a_move_with_a_doubt_run_together_is_not_played(seat: Seat, player: User, body: str) -> None:
    receive(seat, letter(seat, body))
    assert moves_of(seat) == 0


@pytest.mark.parametrize(
    "body",
    [
        "I bid 3 im on the train",
        "I bid 3 it's so cold here",
        "ich biete 3 bin grad im zug",
        "je mise 3 j'ai faim maintenant",
        "je miserais 3 svp",
        "ich würde 3 bieten bitte",
        "ugh 1 already?? fine, 3",
        "3 drei",
        "I bid 3, many thanks, Doris",
        "I bid 3, I only have two coins left",
        "sorry, only just saw this, I bid 3",
    ],
)
def test_a_move_with_talk_run_together_is_played(seat: Seat, player: User, body: str) -> None:
    receive(seat, letter(seat, body))
    assert moves_of(seat) == 1
