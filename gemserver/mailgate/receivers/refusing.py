"""Refuses posts of undocumented form with 400, like forged ones: after a 500 they would be posted again for hours."""

from __future__ import annotations

from typing import Any, TypeVar

from anymail.exceptions import AnymailAPIError, AnymailConfigurationError, AnymailWebhookValidationFailure
from django.conf import settings
from django.http import HttpRequest

from gemserver.mailgate.reading.body import DECODE_ERRORS

View = TypeVar("View", bound=type[Any])

MISREAD = (*DECODE_ERRORS, AnymailAPIError, AnymailConfigurationError)
"""Errors that Anymail raises for unexpected posts; the last, for those that came to the wrong address."""


class RefusesUnknownForms:
    """Anymail's views, answering 400 to posts that they cannot check, or cannot read."""

    def run_validators(self, request: HttpRequest) -> None:
        try:
            super().run_validators(request)  # type: ignore[misc]
        except MISREAD as error:
            raise AnymailWebhookValidationFailure("A post that is not of the documented form") from error

    def parse_events(self, request: HttpRequest) -> list[Any]:
        try:
            return list(super().parse_events(request))  # type: ignore[misc]
        except MISREAD as error:
            raise AnymailWebhookValidationFailure("A post that is not of the documented form") from error


class OnlyOurTopics:
    """Amazon's views with another check: Anymail does not verify the signatures of SNS, so the topic must be ours."""

    def validate_request(self, request: HttpRequest) -> None:
        topic = self._parse_sns_message(request).get("TopicArn")  # type: ignore[attr-defined]
        if settings.SES_TOPICS and topic not in settings.SES_TOPICS:
            raise AnymailWebhookValidationFailure("A post of a topic that is not in SES_TOPICS")


def refusing(view: View) -> View:
    """This view of Anymail's, refusing posts of unknown form."""
    return type(view.__name__, (RefusesUnknownForms, view), {})  # type: ignore[return-value]
