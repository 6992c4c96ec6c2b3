"""Tutorials: positions with one thing to do, and the answer to a try. Nothing of it is kept."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest
from ninja import Path, Router, Schema
from pydantic import Field

from games import registry
from games.contract import seat_letter
from games.tutorial import Step, Tutorial
from gemserver.api.askers import Token
from gemserver.api.shapes import Letter, Strict
from gemserver.matches import prompts
from gemserver.matches.actions.play.preview import LONGEST_TEXT
from gemserver.matches.offered import tutorials
from gemserver.matches.refusal import Refused

router = Router(tags=["tutorials"])

Game = Annotated[
    str, Path(pattern=r"^[a-z][a-z0-9_]{1,19}$", description="The name of a game.", example="gem")
]
Name = Annotated[str, Path(pattern=r"^[a-z][a-z0-9-]{0,29}$", description="A step.", example="open")]


class StepNamed(Schema):
    """A step of a tutorial, in its order."""

    name: str = Field(examples=["open"])
    title: str


class TutorialShown(Schema):
    """The tutorial of a game."""

    game: str = Field(examples=["gem"])
    title: str
    language: str = Field(description="English, if it is not translated into the language of the account.")
    welcome: str
    steps: list[StepNamed]
    farewell: str = Field(description="What is said after the last step.")


class StepShown(Schema):
    """A position, and one thing to do in it."""

    game: str
    name: str
    number: int = Field(description="The place of the step, from 1.")
    count: int = Field(description="The number of steps.")
    title: str
    text: str = Field(description="What there is to see, and the rule.")
    task: str = Field(description="What to do.")
    seat: Letter
    players: list[str]
    moves: list[str] = Field(description="The moves before, as records write them: `A bid 3`.")
    board: str = Field(description="The position in words, as the seat sees it.")
    question: str = Field(description="What the game asks of the seat.")
    examples: list[str] = Field(description="Some moves that can be written, in notation.")


class TrySent(Strict):
    """A try, as people write moves."""

    text: str = Field(max_length=LONGEST_TEXT)


class TryAnswered(Schema):
    """The answer to a try."""

    right: bool
    move: str = Field(description="The move in notation; what was sent if it is none.")
    said: str = Field(description="Why it is right, or what is wrong with it.")
    code: str | None = Field(description="Why the game does not allow the move; null for a legal one.")
    rule: int = Field(description="The paragraph of the rules that explains it.")
    paragraph: str
    happened: list[str] = Field(description="What a right move brings about.")
    board: str | None = Field(description="The position after a right move.")
    next: str | None = Field(description="The step that follows a right move; null after the last.")


@router.get(
    "/games/{game}/tutorial",
    response=TutorialShown,
    auth=Token("read"),
    summary="The tutorial of a game",
    operation_id="tutorial",
)
def show(request: HttpRequest, game: Game) -> TutorialShown:
    """The steps of a tutorial, in the language of the account."""
    found = _find(game)
    return TutorialShown(
        game=game,
        title=found.game.rules.meta.title,
        language=found.language,
        welcome=found.welcome,
        steps=[StepNamed(name=step.name, title=step.title) for step in found.steps],
        farewell=found.farewell,
    )


@router.get(
    "/games/{game}/tutorial/{name}",
    response=StepShown,
    auth=Token("read"),
    summary="A step of a tutorial",
    operation_id="tutorial_step",
)
def show_step(request: HttpRequest, game: Game, name: Name) -> StepShown:
    """A position with one thing to do."""
    tutorial, found = _find_step(game, name)
    prompt = prompts.split_prompt(tutorials.show_prompt(found))
    return StepShown(
        game=game,
        name=found.name,
        number=tutorial.number(found),
        count=len(tutorial.steps),
        title=found.title,
        text=found.text,
        task=found.task,
        seat=seat_letter(found.seat),
        players=list(found.names),
        moves=found.list_moves(),
        board=tutorials.show_board(found),
        question=prompt.question,
        examples=prompt.moves,
    )


@router.post(
    "/games/{game}/tutorial/{name}/try",
    response=TryAnswered,
    auth=Token("read"),
    summary="Try a move in a tutorial",
    operation_id="tutorial_try",
)
def try_move(request: HttpRequest, game: Game, name: Name, body: TrySent) -> TryAnswered:
    """Judge a move in this position. Nothing changes, and no key is needed; a wrong try is an answer too."""
    tutorial, found = _find_step(game, name)
    answer = tutorials.answer(tutorial, found, body.text)
    verdict = answer.verdict
    after = tutorial.after(found) if answer.is_right else None
    view = found.game.rules.view(verdict.state, found.seat) if answer.is_right else None
    return TryAnswered(
        right=answer.is_right,
        move=verdict.move,
        said=answer.sentence,
        code=verdict.refusal.code if verdict.refusal else None,
        rule=verdict.rule,
        paragraph=answer.paragraph,
        happened=list(answer.happened),
        board=tutorials.show_board(found, view) if answer.is_right else None,
        next=after.name if after else None,
    )


def _find(game: str) -> Tutorial:
    """The tutorial of a game. Raises Refused(no-such-game, no-such-tutorial)."""
    if game not in registry.GAMES:
        raise Refused("no-such-game", "There is no game called {name} here.", name=game)
    found = tutorials.begin_lesson(game)
    if found is None:
        raise Refused(
            "no-such-tutorial",
            "{game} has no tutorial; read its rules.",
            game=registry.GAMES[game].rules.meta.title,
        )
    return found


def _find_step(game: str, name: str) -> tuple[Tutorial, Step]:
    """A step of a tutorial. Raises Refused(no-such-game, no-such-tutorial, no-such-tutorial-step)."""
    tutorial = _find(game)
    step = tutorial.find(name)
    if step is None:
        names = ", ".join(each.name for each in tutorial.steps)
        raise Refused(
            "no-such-tutorial-step",
            "The tutorial has no step “{name}”. Its steps are: {names}.",
            name=name,
            names=names,
        )
    return tutorial, step
