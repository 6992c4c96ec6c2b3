"""Mails that quote people: table talk to the other players, reports to the moderators and the answers to them.

Every line that a person wrote begins with `| `, in the text and in the HTML, so that it cannot be mistaken for a
command or for our marker when a reply quotes it (mail-requirements.md O2).
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.lib.text.plain import end_sentence, quote_lines, tidy
from gemserver.matches import talk as table_talk
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.mails.subjects import subject
from gemserver.matches.models import ChatMessage, Report
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage


@dataclass(frozen=True, slots=True)
class Said:
    """One message: its author's name and its text in lines that begin with `| `."""

    name: str
    lines: list[str]


def talk(message: OutboxMessage) -> Content | None:
    """The others' messages since the last such mail; None when the reader may read none of them."""
    mail = MatchMail.read(message)
    reader = message.user
    if reader is None or not mail.is_holder:
        return None
    readable = table_talk.messages_for(mail.seat).filter(pk__gte=message.data["first"]).exclude(author=reader)
    if later := _first_of_the_next(message):
        readable = readable.filter(pk__lt=later)
    said = [_quote(one) for one in readable]
    return mail.write("talk", news=gettext("Table talk"), with_board=False, said=said) if said else None


def _first_of_the_next(message: OutboxMessage) -> int | None:
    """The first message of the next talk mail to this player, if one was queued before this one was sent."""
    others = OutboxMessage.objects.filter(user=message.user, kind="talk", thread=message.thread)
    return others.filter(pk__gt=message.pk).order_by("pk").values_list("data__first", flat=True).first()


def _quote(message: ChatMessage) -> Said:
    return Said(table_talk.author_name(message), quote_lines(message.text))


def report(message: OutboxMessage) -> Content | None:
    """A player asks the moderators to look at something; None once it is dealt with."""
    found = _find_report(message)
    if found is None or found.state == Report.State.CLOSED or message.user is None:
        return None
    path = found.match.get_absolute_url() if found.match else _panel_path(found)
    return _write("report", gettext("A report"), found, message.user, url=settings.SITE_URL + path)


def _panel_path(found: Report) -> str:
    return reverse("admin:matches_report_change", args=[found.pk])


def report_answer(message: OutboxMessage) -> Content | None:
    """The moderators' answer to a player's report."""
    found = _find_report(message)
    if found is None or message.user is None:
        return None
    return _write(
        "report_answer",
        gettext("Your report"),
        found,
        message.user,
        answer=quote_lines(found.answer),
    )


def _find_report(message: OutboxMessage) -> Report | None:
    rows = Report.objects.select_related("match", "reporter", "reported", "message__author")
    return rows.filter(pk=message.data["report"]).first()


def _write(kind: str, news: str, report: Report, reader: User, **more: object) -> Content:
    context = {
        "lead": end_sentence(news),
        "preview": end_sentence(news),
        "report": report,
        "match": report.match,
        "reporter": report.reporter.shown_name if report.reporter else gettext("somebody who has left"),
        "said": _quote(report.message) if report.message else None,
        "why": quote_lines(report.text) if report.text else [],
        "quoted": quote_lines(report.quoted) if report.quoted else [],
        "site_url": settings.SITE_URL,
        **more,
    }
    return Content(
        subject=subject(report.match, news) if report.match else f"[{news}] {report.title}",
        text=tidy(render_to_string(f"emails/{kind}.txt", context)),
        html=render_to_string(f"emails/{kind}.html", context),
        reply_to=settings.ACCOUNT_REPLY.format(token=reader.token),
    )
