"""Moderators' actions on a whole match."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.roles import Role
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.restore_moves import can_restore, restore_moves
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.models import Match, Seat
from gemserver.moderation.actions.action import Action, ActionForm, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target
from gemserver.ratings.models import VoidedResult
from gemserver.ratings.void_result import can_be_voided, void_result


def _is_running(match: Match) -> bool:
    return match.is_running


def _is_paused(match: Match) -> bool:
    return match.is_running and match.stops.filter(end=None).exists()


def _pause(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    pause_match(match.pk, asked.reason, now=asked.now)
    return {}


def _resume(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    resume_match(match.pk, asked.reason, now=asked.now)
    return {}


class VoidForm(ActionForm):
    ply = forms.IntegerField(
        label=_("From move"),
        min_value=1,
        help_text=_("This move and all after it are void; the match goes on from before it."),
    )

    def __init__(self, subject: Match, *args: Any, **kwargs: Any) -> None:
        super().__init__(subject, *args, **kwargs)
        self.fields["ply"].widget.attrs["max"] = subject.ply
        self.fields["ply"].initial = subject.ply


def _void(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    voided = void_moves(match.pk, from_ply=choices["ply"], why=asked.reason, now=asked.now)
    return {"from": voided[0].ply, "moves": len(voided)}


def _restore(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    restored = restore_moves(match.pk, why=asked.reason, now=asked.now)
    return {"from": restored[0].ply, "moves": len(restored)}


class AdjudicateForm(ActionForm):
    winners = forms.MultipleChoiceField(
        label=_("Winners"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "They share the first place; the others are ranked by the score. None: by the score alone."
        ),
    )

    def __init__(self, subject: Match, *args: Any, **kwargs: Any) -> None:
        super().__init__(subject, *args, **kwargs)
        seats = Seat.objects.filter(match=subject).select_related("user").order_by("index")
        field = self.fields["winners"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(seat.index), f"{seat.letter} {seat.name}") for seat in seats]


def _adjudicate(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    winners = [int(index) for index in choices["winners"]]
    ended = adjudicate(match.pk, winners, asked.reason, now=asked.now)
    return {"winners": winners, "ranks": [seat.rank for seat in ended.seats.order_by("index")]}


def _unrate(asked: ActionRequest, match: Match, choices: Choices) -> Changed:
    void_result(match.pk, asked.reason, now=asked.now)
    return {}


PAUSE = Action(
    "pause",
    _("Pause the match"),
    Target.MATCH,
    Role.HELPER,
    _pause,
    applies=lambda match: _is_running(match) and not _is_paused(match),
)
RESUME = Action(
    "resume", _("Let the clocks run again"), Target.MATCH, Role.HELPER, _resume, applies=_is_paused
)
VOID = Action(
    "void",
    _("Take moves back"),
    Target.MATCH,
    Role.MODERATOR,
    _void,
    VoidForm,
    warning=_(
        "The moves stay in the log as void. What they have shown stays known to those who saw it, and the table "
        "is told so."
    ),
    applies=lambda match: _is_running(match) and match.ply > 0,
)
RESTORE = Action(
    "restore",
    _("Put the moves back"),
    Target.MATCH,
    Role.MODERATOR,
    _restore,
    warning=_(
        "The moves that were taken back last are played again, with all that they brought about, and stand in the log "
        "a second time. Clocks stand as before; whoever is asked has their whole time anew. It can be done as long as "
        "no player has answered since."
    ),
    applies=can_restore,
)
ADJUDICATE = Action(
    "adjudicate",
    _("End the match by decision"),
    Target.MATCH,
    Role.MODERATOR,
    _adjudicate,
    AdjudicateForm,
    warning=_("The match is over then and its seed is published. This cannot be undone."),
    applies=_is_running,
)
UNRATE = Action(
    "unrate",
    _("Take the match out of the ratings"),
    Target.MATCH,
    Role.MODERATOR,
    _unrate,
    warning=_(
        "The result stays, but changes nobody's rating, and all ratings after it are computed again. This cannot be "
        "undone."
    ),
    applies=lambda match: can_be_voided(match) and not VoidedResult.objects.filter(match=match).exists(),
    is_about_result=True,
)
