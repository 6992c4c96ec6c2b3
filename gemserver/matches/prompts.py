"""The question put to a seat, apart from the moves it lists."""

from __future__ import annotations

from django.utils.translation import gettext


def split_prompt(prompt: str) -> tuple[str, list[str]]:
    """The question, and the moves that the prompt lists as `To play, write:  …`."""
    lead = gettext("To play, write:  {move}").partition("{move}")[0]
    lines = prompt.splitlines()
    question = " ".join(line for line in lines if not line.startswith(lead))
    return question, [line.removeprefix(lead) for line in lines if line.startswith(lead)]
