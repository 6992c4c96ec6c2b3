"""Stores mail that a provider has handed over; common to all providers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from gemserver.mailgate.ingest import ingest
from gemserver.mailgate.receivers.recipients import header_of, own_addresses


@dataclass(frozen=True, slots=True)
class Delivery:
    """One mail as handed over. `sender` is the envelope's, empty for the null sender; `auth` as in `ingest`."""

    raw: bytes
    sender: str
    recipients: Iterable[str]
    auth: dict[str, str] = field(default_factory=dict)


def store(delivery: Delivery, provider: str = "") -> None:
    """Store it for each of our addresses; a mail for none of them is kept too, under the address it was sent to.

    `provider`: Anymail's name of the provider who posted it; without one, nothing is believed of its sender.
    """
    way_in = provider.lower().replace(" ", "_")
    listed = [address for address in delivery.recipients if address]
    for address in own_addresses(listed, header_of(delivery.raw)) or listed[:1] or [""]:
        ingest(delivery.raw, delivery.sender, address, "webhook", delivery.auth, provider=way_in)
