"""Webhooks of mail providers: `/anymail/PROVIDER/inbound/` and `/anymail/PROVIDER/tracking/`.

Only providers that `MAIL_WEBHOOKS` names are served. They answer 200 once the mail is committed, whatever it says; 400
to anybody but the provider; 500 if the mail could not be stored, so that the provider tries again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from anymail.signals import AnymailInboundEvent
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from gemserver.mailgate.reading.body import DECODE_ERRORS
from gemserver.mailgate.receivers.compose import compose
from gemserver.mailgate.receivers.handed_over import Delivery, store
from gemserver.mailgate.receivers.recipients import envelope_sender, header_of

if TYPE_CHECKING:
    from gemserver.mailgate.receivers.provider_table import Provider


def unguarded_providers() -> list[str]:
    """The names in `MAIL_WEBHOOKS` that are no provider, or one whose posts anybody could forge."""
    return [name for name in settings.MAIL_WEBHOOKS if _find_guarded(name) is None]


def _find_guarded(name: str) -> Provider | None:
    """The provider of this name, if nobody else can post for it."""
    # Anymail's webhooks bring boto3, requests and cryptography with them: much memory, paid only by servers with
    # webhooks. Those load them at the start, as the system checks call this.
    from gemserver.mailgate.receivers.provider_table import PROVIDERS

    provider = PROVIDERS.get(name)
    return provider if provider and provider.is_guarded else None


@csrf_exempt
def inbound(request: HttpRequest, provider: str) -> HttpResponse:
    """Receive a mail that a provider has taken for us."""
    answer: HttpResponse = _provider(provider).inbound.as_view()(request)
    return answer


@csrf_exempt
def tracking(request: HttpRequest, provider: str) -> HttpResponse:
    """Receive a report on a mail that a provider sent for us."""
    answer: HttpResponse = _provider(provider).tracking.as_view()(request)
    return answer


def _provider(name: str) -> Provider:
    provider = _find_guarded(name) if name in settings.MAIL_WEBHOOKS else None
    if provider is None:
        raise Http404
    return provider


def store_event(sender: object, event: AnymailInboundEvent | None, esp_name: str, **kwargs: object) -> None:
    """Store the mail of a provider whose posts Anymail itself reads; connected in `apps.py`.

    None of its accessors is used: on hostile mail they raise.
    """
    message = event.message if event else None
    if message is None:
        return  # an example, which some providers post to try the address
    try:
        raw = bytes(message.as_bytes())
    except DECODE_ERRORS:
        payload = message.get_payload()
        raw = compose(message.raw_items(), payload if isinstance(payload, str) else "", "")
    told = message.envelope_sender
    sender = envelope_sender(header_of(raw)) if told is None else str(told).strip("<> ")
    store(Delivery(raw, sender, [message.envelope_recipient or ""]), esp_name)
