"""Webhooks of mail providers: `/anymail/PROVIDER/inbound/` and `/anymail/PROVIDER/tracking/`.

Only providers that `MAIL_WEBHOOKS` names are listened to. 200 is answered once the mail is committed, whatever it
says; 400 to whoever is not the provider; 500 when it could not be stored, so that the provider tries again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anymail.signals import AnymailInboundEvent
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
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from gemserver.mailgate.reading.body import DECODE_ERRORS
from gemserver.mailgate.receivers.compose import compose
from gemserver.mailgate.receivers.providers import (
    AmazonSES,
    Delivery,
    KeepsWhatCannotBeRead,
    Mailgun,
    Postal,
    Postmark,
    SendGrid,
    store,
)
from gemserver.mailgate.receivers.recipients import envelope_sender, header_of

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


def unguarded_providers() -> list[str]:
    """The names in `MAIL_WEBHOOKS` that are no provider, or one whose posts anybody could forge."""
    return [
        name for name in settings.MAIL_WEBHOOKS if name not in PROVIDERS or not PROVIDERS[name].is_guarded
    ]


@csrf_exempt
def inbound(request: HttpRequest, provider: str) -> HttpResponse:
    """A mail that a provider has received for us."""
    answer: HttpResponse = _provider(provider).inbound.as_view()(request)
    return answer


@csrf_exempt
def tracking(request: HttpRequest, provider: str) -> HttpResponse:
    """What became of a mail that a provider sent for us."""
    answer: HttpResponse = _provider(provider).tracking.as_view()(request)
    return answer


def _provider(name: str) -> Provider:
    provider = PROVIDERS.get(name)
    if provider is None or name not in settings.MAIL_WEBHOOKS or not provider.is_guarded:
        raise Http404
    return provider


def store_event(sender: object, event: AnymailInboundEvent, **kwargs: object) -> None:
    """Store the mail of a provider whose posts Anymail itself reads; connected in `apps.py`.

    None of its accessors is used: on hostile mail they raise.
    """
    message = event.message
    try:
        raw = bytes(message.as_bytes())
    except DECODE_ERRORS:
        payload = message.get_payload()
        raw = compose(message.raw_items(), payload if isinstance(payload, str) else "", "")
    told = message.envelope_sender
    sender = envelope_sender(header_of(raw)) if told is None else str(told).strip("<> ")
    store(Delivery(raw, sender, [message.envelope_recipient or ""]))
