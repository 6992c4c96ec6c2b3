"""The providers of Anymail whose webhooks can be listened to: their views, and the secrets that guard them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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

from gemserver.mailgate.receivers.providers import (
    AmazonSES,
    KeepsWhatCannotBeRead,
    Mailgun,
    Postal,
    Postmark,
    SendGrid,
)

BASIC_AUTH = frozenset({"WEBHOOK_SECRET"})
SHORTEST_SECRET = 20


@dataclass(frozen=True, slots=True)
class Provider:
    """Its two views, and what shows that it is the provider who posts.

    `secrets`: sets of Anymail's settings, of which one must be complete.
    """

    inbound: type[Any]
    tracking: type[Any]
    secrets: tuple[frozenset[str], ...] = (BASIC_AUTH,)

    @property
    def is_guarded(self) -> bool:
        return any(all(_is_set(name) for name in names) for names in self.secrets)


def _is_set(name: str) -> bool:
    """Whether Anymail has this secret; the basic-auth one, which is of our own making, must be long too."""
    value = settings.ANYMAIL.get(name, "")
    return bool(value) and (name != "WEBHOOK_SECRET" or (len(value) >= SHORTEST_SECRET and ":" in value))


class Brevo(KeepsWhatCannotBeRead, brevo.BrevoInboundWebhookView):  # type: ignore[misc]
    pass


class MailerSend(KeepsWhatCannotBeRead, mailersend.MailerSendInboundWebhookView):  # type: ignore[misc]
    pass


class Mailjet(KeepsWhatCannotBeRead, mailjet.MailjetInboundWebhookView):  # type: ignore[misc]
    pass


class Mailtrap(KeepsWhatCannotBeRead, mailtrap.MailtrapInboundWebhookView):  # type: ignore[misc]
    pass


class Mandrill(KeepsWhatCannotBeRead, mandrill.MandrillCombinedWebhookView):  # type: ignore[misc]
    pass


class Resend(KeepsWhatCannotBeRead, resend.ResendInboundWebhookView):  # type: ignore[misc]
    pass


class SparkPost(KeepsWhatCannotBeRead, sparkpost.SparkPostInboundWebhookView):  # type: ignore[misc]
    pass


PROVIDERS: Mapping[str, Provider] = {
    "amazon_ses": Provider(AmazonSES, amazon_ses.AmazonSESTrackingWebhookView),
    "brevo": Provider(Brevo, brevo.BrevoTrackingWebhookView),
    "mailersend": Provider(
        MailerSend,
        mailersend.MailerSendTrackingWebhookView,
        (frozenset({"MAILERSEND_INBOUND_SECRET", "MAILERSEND_SIGNING_SECRET"}),),
    ),
    "mailgun": Provider(
        Mailgun,
        mailgun.MailgunTrackingWebhookView,
        (frozenset({"MAILGUN_WEBHOOK_SIGNING_KEY"}), frozenset({"MAILGUN_API_KEY"})),
    ),
    "mailjet": Provider(Mailjet, mailjet.MailjetTrackingWebhookView),
    "mailtrap": Provider(
        Mailtrap,
        mailtrap.MailtrapTrackingWebhookView,
        (frozenset({"MAILTRAP_INBOUND_SECRET", "MAILTRAP_TRACKING_SECRET"}), BASIC_AUTH),
    ),
    "mandrill": Provider(Mandrill, Mandrill, (frozenset({"MANDRILL_WEBHOOK_KEY"}),)),
    "postal": Provider(Postal, postal.PostalTrackingWebhookView, (frozenset({"POSTAL_WEBHOOK_KEY"}),)),
    "postmark": Provider(Postmark, postmark.PostmarkTrackingWebhookView),
    "resend": Provider(
        Resend,
        resend.ResendTrackingWebhookView,
        (frozenset({"RESEND_INBOUND_SECRET", "RESEND_SIGNING_SECRET"}), BASIC_AUTH),
    ),
    "sendgrid": Provider(SendGrid, sendgrid.SendGridTrackingWebhookView),
    "sparkpost": Provider(SparkPost, sparkpost.SparkPostTrackingWebhookView),
}
"""By the names of Anymail's own addresses."""
