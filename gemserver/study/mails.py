"""Mails with what a bot has found out, in the conversation of their match."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.refusal import Refused
from gemserver.matches.words.moves import quote
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.study.hints import require_asked, word_moves
from gemserver.study.models import Hint, Review
from gemserver.study.review_words import find_movers, find_questions, say_no_slip, say_slip
from gemserver.study.reviews import list_moves, list_turning_points
from gemserver.study.studied import require_studied


def hint(message: OutboxMessage) -> Content | None:
    """Tell what a bot would play and what it expects; None once the question is answered."""
    found = Hint.objects.select_related("match", "user").filter(pk=message.data["hint"]).first()
    if found is None or not found.is_done:
        return None
    mail = MatchMail.read(message)
    try:
        seat = require_asked(mail.match, found.user)
    except Refused:
        return None
    if seat.prompt_ply != found.prompt_ply or not mail.is_holder:
        return None
    moves = word_moves(mail.match, found)
    best, words, _ = moves[0]
    return mail.write(
        "hint",
        news=gettext("A hint"),
        best=best,
        said=quote(words, best),
        replies=mail.ready_replies([best]),
        worths=[(move, words, round(worth)) for move, words, worth in moves if worth is not None],
    )


def review(message: OutboxMessage) -> Content | None:
    """Name the moves that mattered most; None once its reader may not know of it any more."""
    mail = MatchMail.read(message)
    user = message.user
    found = Review.objects.select_related("match").filter(pk=message.data["review"]).first()
    if found is None or user is None or found.done_at is None:
        return None
    try:
        require_studied(mail.match, user)
    except Refused:
        return None
    movers, turning_points = find_movers(mail.match), list_turning_points(found)
    questions = find_questions(mail.match, {each.ply for each in turning_points})
    return mail.write(
        "review",
        news=gettext("A look back"),
        with_board=False,
        is_given_up=found.is_given_up,
        slips=[say_slip(mail.match, questions[each.ply], each, movers[each.ply]) for each in turning_points],
        no_slip=say_no_slip(list(list_moves(found))),
        review_url=settings.SITE_URL + reverse("match-review", args=[mail.match.code]),
    )
