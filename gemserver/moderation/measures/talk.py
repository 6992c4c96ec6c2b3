"""What moderators do about messages and reports."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.roles import Role
from gemserver.matches.actions.talk.remove_message import remove_message
from gemserver.matches.actions.talk.report_abuse import close_report
from gemserver.matches.models import ChatMessage, Report
from gemserver.moderation.measures.contract import Changed, Choices, Measure, MeasureForm, Order
from gemserver.moderation.measures.targets import Target


def _remove(order: Order, message: ChatMessage, choices: Choices) -> Changed:
    remove_message(message.pk, order.reason, now=order.now)
    return {"message": message.pk}


class AnswerForm(MeasureForm):
    answer = forms.CharField(
        label=_("Answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Who reported it gets this by mail."),
    )


def _close(order: Order, report: Report, choices: Choices) -> Changed:
    close_report(report.pk, order.moderator, choices["answer"], now=order.now)
    return {"report": report.pk}


REMOVE = Measure(
    "remove-message",
    _("Remove the message"),
    Target.MESSAGE,
    Role.HELPER,
    _remove,
    applies=lambda message: message.removed_at is None,
)
CLOSE = Measure(
    "close-report",
    _("Close the report"),
    Target.REPORT,
    Role.HELPER,
    _close,
    AnswerForm,
    applies=lambda report: report.state == Report.State.OPEN,
)
