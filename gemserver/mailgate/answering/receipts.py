"""The words of answers to mails."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import zip_longest
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from games import registry
from gemserver.accounts.models import User
from gemserver.inbox import held_mail
from gemserver.inbox.models import InboundEmail
from gemserver.inbox.results import LineResult
from gemserver.inbox.verdict_words import say_why_not
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.plain import end_sentence, tidy
from gemserver.mailgate.answering.receipt_sections import Section, draw_preview, sections
from gemserver.mailgate.lines.commands import is_command
from gemserver.mailgate.lines.courtesy import split_courtesies
from gemserver.mailgate.lines.wishes import WISH, practice_lines
from gemserver.mailgate.replies.lessons import Lesson, find_shown
from gemserver.mailgate.replies.puzzle_replies import AnsweredPuzzle, find_told
from gemserver.matches.mails.about_match import MatchMail, OneTapMove
from gemserver.matches.models import Seat
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.notify.content import Content, Image
from gemserver.notify.models import OutboxMessage

log = logging.getLogger(__name__)

MOST_CANDIDATES = 3
"""Moves that may have been meant, as ready-made replies."""
_LOOKS = frozenset({"board", "status"})
"""Commands for which a match that is over is shown again."""
MOST_UNREAD = 6
"""At most this many lines are listed as not read: signatures and disclaimers are long."""


def receipt(message: OutboxMessage) -> Content | None:
    """The results of a mail, line by line, and the match as it stands now."""
    row = InboundEmail.objects.select_related("seat__match", "user").get(pk=message.data["inbound"])
    results = [LineResult.from_json(result) for result in row.results]
    context = _list_results(message, row, results)
    if row.seat is None:
        return _account_content(row, results, {**context, **_show_asked(row, results)})
    try:
        return _match_content(message, row, results, {**context, **_show_asked(row, results)})
    except UNPLAYABLE as error:
        log.error("an answer about match %s has no board: %s", row.seat.match.code, error)
    readable = _show_readable(row, results)
    news = _news(row, results)
    if context["headline"] == _nothing_but_shown() and not readable:
        context["headline"] = gettext("Nothing was played, and nothing of this match can be shown now.")
        news = gettext("Not done")
    return match_mail(row.seat, row.user).write(
        "receipt", news=news, answers=True, with_board=False, is_unread=True, sections=readable, **context
    )


def _show_asked(row: InboundEmail, results: list[LineResult]) -> dict[str, Any]:
    """The part of a template's context with what the player asked to be shown."""
    return {"sections": sections(row.user, row.seat, results) if row.user is not None else ()}


def _show_readable(row: InboundEmail, results: list[LineResult]) -> list[Section]:
    """The sections that the player asked for and that need no position, as that of the match cannot be read."""
    found: dict[str, Section] = {}
    if row.user is None:
        return []
    for result in results:
        with suppress(*UNPLAYABLE):
            found |= {section.title: section for section in sections(row.user, row.seat, [result])}
    return list(found.values())


def _list_results(message: OutboxMessage, row: InboundEmail, results: list[LineResult]) -> dict[str, Any]:
    """The part of a template's context that tells what came of each line."""
    courteous, others = split_courtesies(results)
    secrets = message.data.get("secret", {})
    headline = _headline(row, results)
    refused = [result for result in results if result.outcome == "refused"]
    # Results about the mail as a whole come first, lest a long signature push them off the list.
    unread = sorted(others, key=lambda result: bool(result.line))
    unread = [
        replace(each, message=None) if each.sentence == headline else each
        for each in unread
        if each.line or each.sentence != headline
    ]
    return {
        "headline": headline,
        "done": [result for result in results if result.outcome == "done"],
        "refused": [] if [_tell_refusal(result) for result in refused] == [headline] else _say_once(refused),
        "unread": _say_once(unread[:MOST_UNREAD]),
        "unread_more": max(0, len(unread) - MOST_UNREAD),
        "courtesies": len(courteous),
        "names_help": any(result.line for result in others) and all(each.code != "help" for each in results),
        "is_first": message.data.get("first", False),
        "quiet_until": _quiet_until(message),
        "site_url": settings.SITE_URL,
        "erase_code": secrets.get("erase"),
        "erased": [each.sentence for each in results if (each.code, each.outcome) == ("erase", "shown")],
        "resign_code": secrets.get("resign"),
    }


def _say_once(results: Sequence[LineResult]) -> list[LineResult]:
    """The results; of neighbours for one and the same reason, the last one tells it."""
    return [
        replace(each, message=None) if each.line and after and each.sentence == after.sentence else each
        for each, after in zip_longest(results, results[1:])
    ]


def _list_candidates(results: Sequence[LineResult]) -> list[str]:
    """The lines that may have been meant."""
    return list(dict.fromkeys(line for result in results for line in result.candidates))[:MOST_CANDIDATES]


def _match_content(
    message: OutboxMessage, row: InboundEmail, results: list[LineResult], context: dict[str, Any]
) -> Content:
    """An answer about a match, with the board and the turn where they are due."""
    assert row.seat is not None
    previewed = message.data.get("previewed")
    if previewed:
        context["previewed"] = previewed
        context["preview_drawing"] = draw_preview(row.user, row.seat, previewed)
    mail = match_mail(row.seat, row.user)
    context["candidates"] = [
        reply
        for line in _list_candidates(results)
        for reply in (mail.ready_commands if is_command(line) else mail.ready_replies)([line])
    ]
    news, preview = _news(row, results), context["headline"]
    if "turn" in message.data and mail.is_readers_turn:  # it tells the turn too
        news = mail.say_turn()
        preview = f"{preview} {mail.preview_turn(news)}"
    shows_board = mail.match.is_running or any(result.code in _LOOKS for result in results)
    return mail.write("receipt", news=news, preview=preview, answers=True, with_board=shows_board, **context)


def question(message: OutboxMessage) -> Content | None:
    """The question whether a mail from an unknown address was the player's own; None once that is settled."""
    row = InboundEmail.objects.select_related("seat__match", "user").get(pk=message.data["inbound"])
    if row.user is None or row.state != InboundEmail.State.HELD:
        return None
    news = gettext("Was this mail yours?")
    context: dict[str, Any] = {
        "sender": row.sender,
        "lines": [LineResult.from_json(result).line for result in row.results],
        "held_url": settings.SITE_URL + held_mail.path(row, message.to),
    }
    if row.seat is None:
        return _write_to_account("account_held", row.user, name_answer(news), {**context, "headline": news})
    return match_mail(row.seat, row.user).write("held", news=news, with_board=False, answers=True, **context)


def _write_to_account(
    kind: str, user: User, subject: str, context: dict[str, Any], images: tuple[Image, ...] = ()
) -> Content:
    """An answer about no match, from `emails/<kind>.txt` and `.html`; a reply to it goes to the account's address."""
    context = {"lead": end_sentence(context["headline"]), "preview": context["headline"], **context}
    context["site_url"] = settings.SITE_URL
    return Content(
        subject=subject,
        text=tidy(render_to_string(f"emails/{kind}.txt", context)),
        html=render_to_string(f"emails/{kind}.html", context),
        reply_to=settings.ACCOUNT_REPLY.format(token=user.token),
        images=images,
        answers=True,
    )


def _quiet_until(message: OutboxMessage) -> datetime | None:
    """The instant until which this is the last answer of its kind."""
    until = message.data.get("quiet_until")
    return datetime.fromisoformat(until) if until else None


def match_mail(seat: Seat, reader: User | None) -> MatchMail:
    """A mail about the seat's match as it stands now."""
    return MatchMail.of(seat, reader, seat.prompt_ply)


def _news(row: InboundEmail, results: list[LineResult]) -> str:
    """The verdict in a word or two, for the subject; it repeats nothing of the mail."""
    outcomes = {result.outcome for result in results}
    if "done" in outcomes:
        return gettext("Done in part") if "refused" in outcomes else gettext("Done")
    if row.state == InboundEmail.State.DONE:
        return gettext("What you asked for")
    return gettext("Not done")


def name_answer(news: str) -> str:
    """The subject of an answer about no match: the news in brackets, as in mails about matches."""
    base = gettext("Your mail to the Gem server")
    return f"[{news}] {base}"


def _headline(row: InboundEmail, results: list[LineResult]) -> str:
    """The verdict in one line, for a phone's preview."""
    return _of_success(row, results) or say_why_not(row) or _of_failure(row, results)


def _of_success(row: InboundEmail, results: list[LineResult]) -> str | None:
    """Say which lines were carried out or shown; None if none was."""
    if any(result.code == "welcome" for result in results):
        return gettext("Welcome to the Gem server!")
    if shown := _find_lessons(results):
        return shown[0].sentence
    if played := [result.line for result in results if result.outcome == "done"]:
        return gettext("OK: %(moves)s") % {"moves": "; ".join(played)}
    if any(result.code == "resign" and result.outcome == "shown" for result in results):
        return gettext("You have NOT resigned yet: send the code below with the word resign.")
    if any(result.code == "erase" and result.outcome == "shown" for result in results):
        return gettext("Your account is NOT erased yet: send the code below with the word erase.")
    if row.state != InboundEmail.State.DONE:
        return None
    if row.seat is None:
        return gettext("Here is what you asked for.")
    return _nothing_but_shown()


def _nothing_but_shown() -> str:
    return gettext("Nothing was played; here is what you asked for.")


def _of_failure(row: InboundEmail, results: list[LineResult]) -> str:
    """Say why no line was carried out: the first refusal, else what may have been meant."""
    for result in results:
        if result.outcome == "refused":
            return _tell_refusal(result)
    for result in results:
        if result.candidates or result.code == WISH:  # it asks what was meant
            return result.sentence
    if row.seat is None:
        return gettext("NOT done: nothing in your mail could be carried out.")
    return gettext("NOT played: nothing in your mail could be carried out.")


def _tell_refusal(result: LineResult) -> str:
    params = {"line": result.line, "why": result.sentence}
    code, _, rest = result.line.partition(": ")
    if is_command(rest if code[1:].isdecimal() else result.line):
        return gettext("NOT done: %(line)s. %(why)s") % params
    return gettext("NOT played: %(line)s. %(why)s") % params


def _find_lessons(results: Sequence[LineResult]) -> list[LineResult]:
    """The results that a lesson or a puzzle answers."""
    return [*find_shown(results), *find_told(results)]


def _verdict(results: Sequence[LineResult], headline: str) -> tuple[str, str]:
    """The headline up to the move that was tried, which is what is set in bold, and the reasons behind it."""
    for result in _find_lessons(results):
        move = str(result.message.params.get("move", "")) if result.message else ""
        said, found, rest = headline.partition(move) if move else ("", "", "")
        mark, stop, why = rest.partition(". ")  # what was typed stands between quotation marks
        if found and stop:
            return f"{said}{move}{mark}.", why
    return headline, ""


def _account_content(row: InboundEmail, results: list[LineResult], context: dict[str, Any]) -> Content:
    """An answer about no match; with a lesson or a puzzle it has the board of the next step, or the puzzle's."""
    assert row.user is not None
    told: list[Lesson | AnsweredPuzzle | None] = [Lesson.of(result) for result in results]
    told += [AnsweredPuzzle.of(result, row.user) for result in results]
    asked_for = next((each for each in told if each is not None), None)
    news = _news(row, results)
    subject = asked_for.title if asked_for else name_answer(news)
    address = settings.ACCOUNT_REPLY.format(token=row.user.token)
    context = {
        **context,
        "lead": end_sentence(asked_for.title if asked_for else news),
        "candidates": [
            OneTapMove(line, mailto(address, f"Re: {subject}", line)) for line in _list_candidates(results)
        ],
        "verdict": _verdict(results, context["headline"]),
        "reader": row.user,
        "sign_in_url": settings.SITE_URL + reverse("account_request_login_code"),
        "profile_url": settings.SITE_URL + reverse("profile"),
        "is_new": any(result.code == "welcome" for result in results),
        "game": (game := _wished_game(results)),
        "practice": practice_lines(game)[0],
    }
    images = (Image("board", asked_for.picture()),) if asked_for and asked_for.has_board else ()
    return _write_to_account("account_receipt", row.user, subject, context, images)


def _wished_game(results: Sequence[LineResult]) -> str:
    """The game that a newcomer's lines are about, else the first one."""
    words = {word for result in results for word in result.line.split()}
    return next((game for game in registry.GAMES if game in words), next(iter(registry.GAMES)))
