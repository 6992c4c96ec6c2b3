"""The words that a host reads as commands at the beginning of a line, so that no move can begin with them."""

from __future__ import annotations

import re

HOST_WORDS = frozenset(
    re.findall(
        r"\w+",
        "address agree always archive block board bots club clubs confirm digest else end enter erase event events "
        "follow games help hint holiday invite join language leads leave log mail mails new note notify part plan "
        "player preview puzzle quiet ratings refuse rematch rename report resign return review rules say sitter "
        "snooze standings start status stop token tokens tutorial undo unfollow uninvite unsubscribe "
        "vacation withdraw zone",
    )
)
