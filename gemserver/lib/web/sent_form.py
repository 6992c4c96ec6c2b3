"""The fields of a form that was sent and not carried out, so that it can be given back as it was."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import BadRequest, DisallowedHost, SuspiciousOperation
from django.http import HttpRequest, UnreadablePostError

SHORTEST_KEY = 16
MOST_KEPT = 200_000
"""Characters of a form that are given back."""


@dataclass(frozen=True, slots=True)
class SentField:
    """One field of a form that was sent."""

    name: str
    value: str

    @property
    def is_text(self) -> bool:
        """True if a person may have written it; False for a number or key of the form's own."""
        is_key = len(self.value) >= SHORTEST_KEY and not self.has_words
        return bool(self.value) and not self.value.isdecimal() and not is_key

    @property
    def is_line(self) -> bool:
        """True for such a text of a single line."""
        return self.is_text and "\n" not in self.value

    @property
    def has_words(self) -> bool:
        """True for several words, which no button or hidden field of ours consists of."""
        return any(map(str.isspace, self.value))


def sent_fields(request: HttpRequest) -> list[SentField]:
    """The fields that were sent, except passwords, which a page must not show; none of a form that is too large."""
    try:
        sent = list(request.POST.lists())
    except (UnreadablePostError, SuspiciousOperation, BadRequest):
        return []
    fields = [
        SentField(name, value)
        for name, values in sent
        if name != "csrfmiddlewaretoken" and "password" not in name
        for value in values
    ]
    return fields if sum(len(field.value) for field in fields) <= MOST_KEPT else []


def typed_fields(request: HttpRequest) -> list[SentField]:
    """The fields of a form from a page of ours in which somebody typed words, otherwise none.

    What another site has put together must not stand on a page of ours, with a button that sends it.
    """
    fields = sent_fields(request) if is_from_own_page(request) else []
    return fields if any(field.has_words for field in fields) else []


def is_from_own_page(request: HttpRequest) -> bool:
    """True if the form had the token of its page, or its browser says that the page is ours."""
    is_proved = getattr(request, "csrf_processing_done", False)
    try:
        return is_proved or request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"
    except DisallowedHost:
        return False
