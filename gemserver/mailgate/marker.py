"""The line that we print above a notification: reply above it.

It begins with `-- `, so that clients which take that for a signature hide everything below it.
"""

from __future__ import annotations

import re

from gemserver.mailgate.text_lines import bare, unquoted

_ABOVE = (
    r"reply above this line|type your reply above|write your reply above|répond\w* au-dessus|au-dessus de cette ligne|"
    r"oberhalb dieser (?:zeile|linie)|über dieser (?:zeile|linie)|nad (?:t[ií]mto řádkem|tento řádek|týmto riadkom|tym wierszem|tą linią)|"
    r"nad t[ou]to (?:řádku|čáru|čiaru)|encima de esta línea|por encima de esta l|sopra (?:a )?questa (?:riga|linea)|"
    r"boven deze (?:regel|lijn)|acima (?:desta|dessa) linha|ovanför (?:den här )?(?:raden|denna rad|linjen)|over denne linj\w*|"
    r"tämän rivin yläpuol\w*|выше этой (?:строки|линии)|вище цього рядка|над этой (?:строкой|линией)|над цим рядком|"
    r"e fölé a (?:sor|vonal) fölé|a sor fölé|bu satırın üst\w*|πάνω από αυτή|この行より上|此行(?:之|以)?上|이 (?:줄|선) 위"
)
_MARKER = re.compile(
    r"(?:\W{0,12}|[^-#=]{0,60}(?:--|##|==)\W{0,3})(?:please )?(?:.{0,60}?)(?:" + _ABOVE + r")"
)


def is_marker(lines: list[str], at: int) -> bool:
    """Does the marker stand in this line, or begin here and go on in the next one (clients wrap it)?"""
    first = bare(unquoted(lines[at][:300])).casefold()
    if not first or first[0].isalnum() or len(first) > 160:
        return False
    if _MARKER.match(first):
        return True
    if at + 1 >= len(lines):
        return False
    return bool(_MARKER.match(first + " " + bare(unquoted(lines[at + 1][:160])).casefold()))
