"""The providers of Anymail whose webhooks can be served: their views, and the secrets that guard them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anymail.exceptions import AnymailImproperlyInstalled
from anymail.webhooks import (
    amazon_ses,
    brevo,
    mailersend,
    mailgun,
    mailjet,
    mailtrap,
    mandrill,
    postal,
    postmark,
    resend,
    sendgrid,
    sparkpost,
)
from django.conf import settings

from gemserver.mailgate.receivers.fetched import Brevo, Mailtrap, Resend
from gemserver.mailgate.receivers.providers import (
    AmazonSES,
    KeepsWhatCannotBeRead,
    Mailgun,
    Postal,
    Postmark,
    SendGrid,
)
from gemserver.mailgate.receivers.refusing import MISREAD, OnlyOurTopics, RefusesUnknownForms, refusing

log = logging.getLogger(__name__)

BASIC_AUTH = frozenset({"WEBHOOK_SECRET"})
SHORTEST_SECRET = 20


@dataclass(frozen=True, slots=True)
class Provider:
    """The two views of a provider, and the proof that it is the provider who posts.

    `secrets`: sets of Anymail's settings, of which one must be complete; each includes the settings that a view needs.
    """

    inbound: type[Any]
    tracking: type[Any]
    secrets: tuple[frozenset[str], ...] = (BASIC_AUTH,)

    @property
    def is_guarded(self) -> bool:
        """True if nobody else can post for it, and its views can do their work."""
        return any(all(_is_set(name) for name in names) for names in self.secrets) and self._can_be_built()

    def _can_be_built(self) -> bool:
        """True if no setting or package is missing, and every key has the provider's form."""
        try:
            for view in (self.inbound, self.tracking):
                view()
        except (*MISREAD, AnymailImproperlyInstalled) as error:
            log.error("%s cannot be listened to: %s", self.inbound.__name__, error)
            return False
        return True


def _is_set(name: str) -> bool:
    """True if Anymail has this secret; the basic-auth one, which is of our own making, must be long too."""
    value = settings.ANYMAIL.get(name, "")
    return bool(value) and (name != "WEBHOOK_SECRET" or (len(value) >= SHORTEST_SECRET and ":" in value))


class AmazonSESTracking(OnlyOurTopics, RefusesUnknownForms, amazon_ses.AmazonSESTrackingWebhookView):  # type: ignore[misc]
    pass


class MailerSend(KeepsWhatCannotBeRead, mailersend.MailerSendInboundWebhookView):  # type: ignore[misc]
    pass


class Mailjet(KeepsWhatCannotBeRead, mailjet.MailjetInboundWebhookView):  # type: ignore[misc]
    pass


class Mandrill(KeepsWhatCannotBeRead, mandrill.MandrillCombinedWebhookView):  # type: ignore[misc]
    pass


class SparkPost(KeepsWhatCannotBeRead, sparkpost.SparkPostInboundWebhookView):  # type: ignore[misc]
    pass


PROVIDERS: Mapping[str, Provider] = {
    "amazon_ses": Provider(AmazonSES, AmazonSESTracking),
    "brevo": Provider(Brevo, refusing(brevo.BrevoTrackingWebhookView)),
    "mailersend": Provider(
        MailerSend,
        refusing(mailersend.MailerSendTrackingWebhookView),
        (frozenset({"MAILERSEND_INBOUND_SECRET", "MAILERSEND_SIGNING_SECRET"}),),
    ),
    "mailgun": Provider(
        Mailgun,
        refusing(mailgun.MailgunTrackingWebhookView),
        (frozenset({"MAILGUN_WEBHOOK_SIGNING_KEY"}), frozenset({"MAILGUN_API_KEY"})),
    ),
    "mailjet": Provider(Mailjet, refusing(mailjet.MailjetTrackingWebhookView)),
    "mailtrap": Provider(
        Mailtrap,
        refusing(mailtrap.MailtrapTrackingWebhookView),
        (
            frozenset({"MAILTRAP_INBOUND_SECRET", "MAILTRAP_TRACKING_SECRET", "MAILTRAP_API_TOKEN"}),
            frozenset({"WEBHOOK_SECRET", "MAILTRAP_API_TOKEN"}),
        ),
    ),
    "mandrill": Provider(Mandrill, Mandrill, (frozenset({"MANDRILL_WEBHOOK_KEY"}),)),
    "postal": Provider(
        Postal, refusing(postal.PostalTrackingWebhookView), (frozenset({"POSTAL_WEBHOOK_KEY"}),)
    ),
    "postmark": Provider(Postmark, refusing(postmark.PostmarkTrackingWebhookView)),
    "resend": Provider(
        Resend,
        refusing(resend.ResendTrackingWebhookView),
        (
            frozenset({"RESEND_INBOUND_SECRET", "RESEND_SIGNING_SECRET", "RESEND_API_KEY"}),
            frozenset({"WEBHOOK_SECRET", "RESEND_API_KEY"}),
        ),
    ),
    "sendgrid": Provider(SendGrid, refusing(sendgrid.SendGridTrackingWebhookView)),
    "sparkpost": Provider(SparkPost, refusing(sparkpost.SparkPostTrackingWebhookView)),
}
"""By the names in Anymail's own addresses."""
