"""The command words of mails, with the arguments each takes and the usage that is shown."""

from __future__ import annotations

from gemserver.lib.text.patterns import Pattern

NUMBER = r"\d{1,6}"
_SPAN = r"\d{1,4} ?[mhd]"
_CLUB = r"[a-z0-9-]{1,30}"
_EVENT = r"[a-z][a-z0-9-]{1,29}"
"""The short name of an event; its full name may be that of anything, and `handlers.event_commands` looks for it."""
_LESSON = r"(?:stop|[a-z]{2,30}(?: \d(?: .{1,500})?)?)?"
_PUZZLE = r"(?:on|off|\d{4}-\d\d-\d\d(?: .{1,500})?)?"
_HOUR = r"\d{1,2}[:.]\d\d"
_DAY = r"[\w./-]{0,12}\d[\w./-]{0,12}"
USAGE: dict[str, tuple[str, str]] = {
    "status": ("", "status"),
    "board": ("", "board"),
    "log": ("", "log"),
    "rules": ("", "rules"),
    "help": ("", "help"),
    "games": ("", "games"),
    "clubs": ("", "clubs"),
    "club": (
        rf"{_CLUB}(?: (?:join|leave)| (?:invite|accept|refuse|remove|owner|organiser|member|leave) .{{1,60}}"
        r"| mail (?:each|digest|off)| (?:news|report) .{1,2000})?",
        "club NAME · club NAME join · club NAME invite PLAYER · club NAME news WORDS",
    ),
    "join": (rf"club {_CLUB}|[a-z]{{2,30}}|m{NUMBER}(?: [a-z])?", "join GAME · join M17 · join club NAME"),
    "new": (
        r"[a-z]{2,30}(?: seats \d{1,2}| pace [a-z0-9+]{2,20}| [a-z-]{2,30}=[a-z0-9+-]{1,30}){0,12}",
        "new GAME · new GAME seats 3 pace 2d",
    ),
    "invite": (
        r"\S{1,64}@\S{1,190}(?: \S{1,64}@\S{1,190}){0,19}|[\w.-]{1,40}(?: [\w.-]{1,20}){0,2}(?: \([^()@]{1,12}\))?",
        "invite PLAYER · invite ADDRESS",
    ),
    "uninvite": (
        r"\S{1,64}@\S{1,190}|[\w.-]{1,40}(?: [\w.-]{1,20}){0,2}",
        "uninvite PLAYER · uninvite ADDRESS",
    ),
    "bots": (r"\d{1,2}(?: (?:easy|normal|hard|random))?", "bots 1 · bots 2 hard"),
    "rematch": ("", "rematch"),
    "leave": (rf"(?:club {_CLUB})?", "leave · leave club NAME"),
    "start": ("", "start"),
    "part": (r".{1,500}", "part WORDS"),
    "resign": (r"(?:[a-z0-9-]{4,20})?", "resign · resign CODE"),
    "return": ("", "return"),
    "undo": ("", "undo"),
    "hint": ("", "hint"),
    "review": (rf"(?:m{NUMBER})?", "review · review M17"),
    "agree": ("", "agree"),
    "refuse": ("", "refuse"),
    "vacation": (rf"off|{_DAY} {_DAY}", "vacation FROM TO · vacation off"),
    "holiday": (rf"{_DAY} {_DAY}", "holiday FROM TO"),
    "mail": (
        rf"turns|off|digest {_HOUR}|receipts (?:all|refusals|none)",
        "mail turns · mail digest 08:00 · mail off · mail receipts all · … refusals · … none",
    ),
    "digest": (_HOUR, "digest 08:00"),
    "snooze": (_SPAN, "snooze 3h"),
    "quiet": (
        r"off|\d{1,2}(?::\d\d)? ?- ?\d{1,2}(?::\d\d)?(?: [a-z_+/-]{2,40})?",
        "quiet 22-07 Europe/Paris",
    ),
    "zone": (r"[a-z][a-z0-9_+/-]{1,39}", "zone Europe/Paris"),
    "language": (r"[a-z]{2,3}", "language de · language en · language fr"),
    "leads": (rf"off|{_SPAN}(?: {_SPAN}){{0,5}}", "leads 24h 4h"),
    "address": ("new", "address new"),
    "confirm": (r"[a-z0-9-]{4,40}", "confirm CODE"),
    "report": (r".{0,1000}", "report"),
    "block": (r".{1,80}", "block PLAYER"),
    "follow": (r".{0,80}", "follow · follow PLAYER"),
    "unfollow": (r".{1,80}", "unfollow PLAYER"),
    "sitter": (rf"off|\S.{{0,60}} {_DAY} {_DAY}", "sitter NAME FROM TO · sitter off"),
    "rename": (r".{1,60}", "rename NAME"),
    "mails": ("", "mails"),
    "notify": (
        rf"(?:(?:turn|reminder|timeout|talk|table) (?:mail|web|digest(?: {_HOUR})?)(?: here)?|by \S.{{0,39}})?",
        "notify · notify by mail · notify talk web · notify talk digest 08:00 · notify talk mail here",
    ),
    "archive": (r"named|numbered", "archive named · archive numbered"),
    "erase": (r"(?:[a-z0-9-]{4,20})?", "erase · erase CODE"),
    "player": (r".{1,80}", "player NAME"),
    "ratings": (r".{0,80}", "ratings · ratings PLAYER"),
    "tokens": ("", "tokens"),
    "token": (r"new(?: .{1,40})?|revoke .{1,40}", "token new NAME · token revoke NAME"),
    "events": ("", "events"),
    "event": (rf"{_EVENT} report .{{1,2000}}", "event NAME report WORDS · events"),
    "enter": (_EVENT, "enter NAME · events"),
    "withdraw": (_EVENT, "withdraw NAME · events"),
    "standings": (_EVENT, "standings NAME · events"),
    "tutorial": (_LESSON, "tutorial GAME · tutorial GAME 2 · tutorial stop"),
    "puzzle": (_PUZZLE, "puzzle · puzzle on · puzzle off"),
    "unsubscribe": (rf"(?:turn|reminder|timeout|talk|table|digest|puzzle|club-{_CLUB})?", "unsubscribe"),
}
"""Command word → its arguments (matched in lower case), and the usage that is shown."""

_SHAPES = {name: Pattern(shape) for name, (shape, _) in USAGE.items()}
BLOCKS = frozenset({"say", "note", "plan"})
"""Commands that go on over several lines."""
ONE_LINE_OF_TEXT = frozenset({"say", "note", "part", "report"})
"""Commands that take words of people, which mail programs may break."""
KEPT_AS_TYPED = frozenset(
    [
        "part",
        "invite",
        "uninvite",
        "quiet",
        "zone",
        "report",
        "block",
        "follow",
        "unfollow",
        "player",
        "sitter",
        "rename",
        "token",
        "ratings",
        "club",
        "event",
        "tutorial",
        "puzzle",
    ]
)
"""Commands whose argument keeps its capitals."""
EACH_ALONE = frozenset({"invite"})
"""Commands that stand for one with each of the addresses behind them."""
BEGIN_PHRASES = frozenset(
    {
        "leave",
        "start",
        "new",
        "club",
        "event",
        "enter",
        "withdraw",
        "standings",
        "language",
        "zone",
        "bots",
        "rematch",
    }
)
"""Words with which people also begin moves and sentences: `leave it where it is`, `withdraw my last mail, please`."""
ASKED_OF_OTHERS = frozenset({"agree", "refuse", "leave", "start", "return"})
"""Commands that with a please may ask another player for it: `Start, please`."""
COMMAND_WORDS = frozenset(USAGE) | BLOCKS | {"preview", "end", "stop"}
"""Words that are commands and no moves."""


def has_text(line: str) -> bool:
    """True if the line is a command whose end is a text for people: `report …`, `club lake news …`."""
    word, _, argument = line.lower().partition(" ")
    behind = argument.split()[1:2] if word in {"club", "event"} else []
    return word in ONE_LINE_OF_TEXT or behind in (["news"], ["report"])


def takes(name: str, argument: str) -> bool:
    """True if this is what the command takes, capital letters or not."""
    return _SHAPES[name].fullmatch(argument.lower()) is not None
