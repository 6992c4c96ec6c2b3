"""The command that teaches a game by mail: one step in each answer, and a move is tried by answering it.

Nothing is kept of a lesson. The answer that shows a step notes which one it is; a reply to it is read as
`tutorial GAME NUMBER MOVE`, which may also be written out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse
from django.utils import translation

from games import registry
from games.contract import Game, Json, Message
from games.tutorial import Step, Tutorial
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler, NotSure, with_moves_meant
from gemserver.matches.offered import tutorials
from gemserver.matches.offered.game_guard import BrokenGame
from gemserver.matches.refusal import Refused
from gemserver.matches.said import offer_moves
from gemserver.matches.words.moves import say_move

NO_TRY = "no-try"
"""The code of a refusal that shows the same step again."""
TRIES = frozenset({NO_TRY})
"""Codes of refusals of a try."""


def _tutorial(request: CommandRequest) -> Message:
    """Show a step, or judge a move in it; the section of the answer shows the step that comes next."""
    name, _, rest = request.argument.partition(" ")
    number, _, move = rest.partition(" ")
    if name.lower() == "stop":
        return Message(
            "The tutorial is over. To learn more another time, write: tutorial and the name of a game."
        )
    with translation.override(request.user.language):
        tutorial = _find(name.lower())
        if request.seat is not None:
            raise Refused(
                "tutorial-elsewhere",
                "This is the address of {code}, where a line may be a move of the match. Write to {address} instead: "
                "tutorial {game}",
                code=request.seat.match.code,
                address=settings.PLAY_ADDRESS,
                game=tutorial.game.rules.meta.slug,
            )
        step = _find_step(tutorial, int(number or 1))
        if move:
            return _try(tutorial, step, move)
        params = {"title": tutorial.game.rules.meta.title, "welcome": tutorial.welcome}
        return Message("You learn {title}. {welcome}", {**params, **_name(tutorial, step)})


def _find(name: str) -> Tutorial:
    """The tutorial of the game that is called so. Raises NotSure(which-game), Refused(no-tutorial)."""
    titles = {slug: entry.rules.meta.title.lower() for slug, entry in registry.GAMES.items()}
    meant = [slug for slug in titles if name and (slug == name or titles[slug] == name)]
    meant = meant or [slug for slug in titles if len(name) >= 3 and slug.startswith(name)]
    if len(meant) != 1:
        raise NotSure(
            "which-game",
            "Write the name of a game after the word, as in: tutorial {game}. The games are: {games}",
            [f"tutorial {slug}" for slug in titles],
            game=next(iter(titles)),
            games=", ".join(titles),
        )
    tutorial = tutorials.begin_lesson(meant[0])
    if tutorial is None:
        raise _no_tutorial(registry.GAMES[meant[0]])
    return tutorial


def _no_tutorial(game: Game) -> Refused:
    return Refused(
        "no-tutorial",
        "{game} has no tutorial. Its rules are at {url}",
        game=game.rules.meta.title,
        url=settings.SITE_URL + reverse("rules", args=[game.rules.meta.slug]),
    )


def _find_step(tutorial: Tutorial, number: int) -> Step:
    """The step with this number. Raises Refused(no-such-step)."""
    if not 1 <= number <= len(tutorial.steps):
        raise Refused(
            "no-such-step",
            "The tutorial of {game} has steps 1 to {count}. Write one of them, as in: tutorial {slug} 1",
            game=tutorial.game.rules.meta.title,
            count=len(tutorial.steps),
            slug=tutorial.game.rules.meta.slug,
        )
    return tutorial.steps[number - 1]


def _try(tutorial: Tutorial, step: Step, move: str) -> Message:
    """Say whether the move is right, and go on to the next step if it is."""
    try:
        answer = tutorials.answer(tutorial, step, move)
    except BrokenGame as error:
        raise _no_tutorial(tutorial.game) from error
    params = {
        **_name(tutorial, tutorial.after(step) if answer.is_right else step),
        "move": say_move(step.game.rules, step.reached.state, step.seat, answer.verdict.move),
        "why": answer.sentence,
        "rule": answer.verdict.rule,
        "paragraph": answer.paragraph,
    }
    if answer.verdict.is_no_move:
        # No move at all, perhaps not even a person's words: answered within the limits of mail that is not understood.
        refusal = Refused(NO_TRY, "Not understood: “{move}”. {why}", "refused", **params)
        moves = offer_moves(step.game, step.reached.state, step.seat, move, step.names)
        raise with_moves_meant(refusal, moves, ready=f"tutorial {params['game']} {params['step']}")
    if answer.is_right:
        return Message("Right: {move}. {why} (§ {rule}: {paragraph})", params)
    return Message("Not yet: {move}. {why} (§ {rule}: {paragraph})", params)


def _name(tutorial: Tutorial, step: Step | None) -> dict[str, Json]:
    """The step that the answer shows; 0 stands for the end."""
    return {"game": tutorial.game.rules.meta.slug, "step": tutorial.number(step) if step else 0}


TUTORIAL_COMMANDS: Mapping[str, Handler] = MappingProxyType({"tutorial": _tutorial})
"""Commands that change nothing; the answer shows what comes of them."""
