"""Moderators' actions on messages, reports, and the names of what-ifs."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.roles import Role
from gemserver.matches.actions.talk.remove_message import remove_message
from gemserver.matches.actions.talk.report_abuse import close_report
from gemserver.matches.models import ChatMessage, Report
from gemserver.moderation.actions.action import Action, ActionForm, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target
from gemserver.moderation.actions.told_text_field import ToldTextField
from gemserver.study.models import WhatIf


def _remove(asked: ActionRequest, message: ChatMessage, choices: Choices) -> Changed:
    remove_message(message.pk, asked.reason, now=asked.now)
    return {"message": message.pk}


class AnswerForm(ActionForm):
    answer = ToldTextField(
        label=_("Answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Whoever reported it gets this by mail."),
    )


def _close(asked: ActionRequest, report: Report, choices: Choices) -> Changed:
    close_report(report.pk, asked.moderator, choices["answer"], now=asked.now)
    return {"report": report.pk}


def _clear_name(asked: ActionRequest, what_if: WhatIf, choices: Choices) -> Changed:
    WhatIf.objects.filter(pk=what_if.pk).update(name="")
    return {"what_if": what_if.pk}


REMOVE = Action(
    "remove-message",
    _("Remove the message"),
    Target.MESSAGE,
    Role.HELPER,
    _remove,
    applies=lambda message: message.removed_at is None,
)
CLOSE = Action(
    "close-report",
    _("Close the report"),
    Target.REPORT,
    Role.HELPER,
    _close,
    AnswerForm,
    applies=lambda report: report.state == Report.State.OPEN,
)
CLEAR_NAME = Action(
    "clear-name",
    _("Remove the name of the what-if"),
    Target.WHAT_IF,
    Role.HELPER,
    _clear_name,
    applies=lambda what_if: bool(what_if.name),
)
