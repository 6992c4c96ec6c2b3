"""The form for a move; it checks shape only, the actions decide what may be played."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms
from django.utils.translation import gettext_lazy as _

from gemserver.matches.actions.play.preview import LONGEST_TEXT


def read_text(fields: Mapping[str, str]) -> str:
    """The move that was written, or the order of a limit: both are fields of one form.

    The buttons beside the limit (`limit`) mean it, the others too where no move was written. Enter in the field of the
    move presses the form's first button, a preview beside the limit, and so means the move where there is no limit.
    """
    text, number = fields.get("text", ""), fields.get("number", "").strip()
    if number and (not text.strip() or "limit" in (fields.get("play"), fields.get("preview"))):
        return write_order(fields)
    return "" if fields.get("play") == "limit" else text


def write_order(fields: Mapping[str, str]) -> str:
    """The order whose `number` was asked for, with that in place of its one `#`.

    Of many `#` only the first is replaced: two short fields would make a text that fills the machine's memory.
    """
    return fields.get("order", "#").replace("#", fields["number"].strip(), 1)


class MoveForm(forms.Form):
    """One move in notation, or the part that has been chosen so far.

    `prompt_ply` is the prompt that the page showed; `request_id` was made with the page, so that a form that is sent
    twice plays once.
    """

    text = forms.CharField(
        required=False,
        max_length=LONGEST_TEXT,
        error_messages={"max_length": _("This is too long for a move. Write one move on one line.")},
    )
    prompt_ply = forms.IntegerField(min_value=0)
    request_id = forms.UUIDField()

    def sentence(self) -> str:
        """The form's error, as a sentence."""
        if "text" in self.errors:
            return str(self.errors["text"][0])
        return str(_("The page was too old or damaged. Look at the board and send your move again."))
