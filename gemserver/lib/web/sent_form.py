"""The fields of a form that was sent and not carried out, so that it can be given back as it was."""

from __future__ import annotations

from dataclasses import dataclass

from django.core.exceptions import BadRequest, SuspiciousOperation
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
