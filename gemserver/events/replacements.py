"""Queries about newcomers who are asked to go on for a player of a season."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import F, Q, QuerySet

from gemserver.accounts.models import User
from gemserver.events.models import Event, Replacement, Season
from gemserver.events.rights import may_see

OPEN_FOR = timedelta(days=7)
"""So long a newcomer may take to answer."""


def open_questions(at: datetime) -> QuerySet[Replacement]:
    """The questions that may still be answered, the oldest first: not by whose account is shut, or was erased.

    Version 1.0, to which one may have gone back, erased accounts and left their questions.
    """
    is_held = Q(entry__player=F("former")) | Q(entry__player=None, former=None)
    found = Replacement.objects.filter(
        is_held,
        outcome=Replacement.Outcome.OPEN,
        asked_at__gt=at - OPEN_FOR,
        newcomer__is_active=True,
    )
    return (
        found.filter(entry__season__state=Season.State.RUNNING, entry__season__ends_at__gt=at)
        .select_related("entry__season__event__club", "entry__player", "former", "newcomer", "by")
        .order_by("pk")
    )


def asked_in(event: Event, newcomer: User, at: datetime) -> Replacement | None:
    """The question in this event that waits for the newcomer's answer, if any."""
    return open_questions(at).filter(entry__season__event=event, newcomer=newcomer).first()


def asked_of(newcomer: User, at: datetime) -> list[Replacement]:
    """The questions that wait for this user's answer, in events that they may see."""
    found = open_questions(at).filter(newcomer=newcomer)
    return [question for question in found if may_see(question.season.event, newcomer)]


def answer_until(question: Replacement) -> datetime:
    """When the question lapses."""
    return min(question.asked_at + OPEN_FOR, question.season.ends_at)
