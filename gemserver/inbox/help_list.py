"""The list of commands that `help` sends, in the reader's language: groups of commands, each with what it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from gemserver.lib.text.blanks import translate_blanks


@dataclass(frozen=True, slots=True)
class HelpLine:
    """Commands that belong together, and what they do; `commands` is empty for a line without any."""

    commands: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one headline."""

    title: str
    entries: Sequence[HelpLine]


def list_commands() -> Sequence[Group]:
    """All commands, in the active language."""
    return [
        _group(
            gettext("To play, in answer to a mail of the match:"),
            ("", gettext("a move as the mail lists it; bid 3 #7 counts only at turn 7")),
            ("preview MOVE", gettext("how it would stand after that move")),
            ("plan ... end, plan show, plan clear", gettext("orders for later")),
            ("undo, agree, refuse", gettext("asks the others, or answers them")),
            ("return", gettext("takes your seat back from a bot that plays for you")),
            ("resign", gettext("sends you a code; with the code it counts")),
        ),
        _group(
            gettext("To look and to talk:"),
            (
                "status, board, log, rules, help",
                gettext("how the match stands, its log, its rules, this list"),
            ),
            ("tutorial GAME", gettext("learn a game on its board, one step in each mail")),
            ("puzzle, puzzle on, puzzle off", gettext("the puzzle of the day, now or each morning")),
            ("hint", gettext("what a bot would play, in practice against the server's bots")),
            ("review, review M17", gettext("a bot looks back at a match that is over")),
            ("ratings, ratings PLAYER", gettext("yours, or another player's")),
            ("say WORDS", gettext("to the table")),
            ("note WORDS", gettext("for your own eyes")),
            ("player NAME", gettext("ratings and results of a player, and yours against them")),
            (
                "follow PLAYER, unfollow PLAYER, follow",
                gettext("whose tables you want to find, which nobody else learns; where they wait"),
            ),
            ("block PLAYER, report WORDS", gettext("when somebody is a nuisance")),
        ),
        _group(
            gettext("Tables, in answer to any mail:"),
            ("games", gettext("your matches, free seats, all games")),
            ("join GAME, join M17", gettext("you sit down at a table")),
            ("join M17, join M17 B", gettext("you play on for a player who is gone, where a seat is free")),
            ("new GAME, new GAME seats 3 pace 2d bots=1", gettext("you open a table")),
            (
                "invite PLAYER, invite ADDRESS, uninvite PLAYER, bots 2, part WORDS, start, leave",
                gettext("at a table that waits for players"),
            ),
            ("rematch", gettext("play a match that is over again, with the same people")),
            (
                "clubs, club NAME, join club NAME, leave club NAME",
                gettext("people who play among themselves"),
            ),
        ),
        _group(
            gettext("Leagues and tournaments:"),
            ("events", gettext("which ones there are, and their dates")),
            ("enter NAME, withdraw NAME", gettext("you play in the next season, or no longer")),
            ("standings NAME", gettext("the tables of the divisions")),
            (
                "event NAME report WORDS, club NAME report WORDS",
                gettext("the moderators look at what it says about itself"),
            ),
        ),
        _group(
            gettext("Your time and your mail:"),
            (
                "zone Europe/Paris, language de",
                gettext("your time zone; the language of your mails: de, en or fr"),
            ),
            ("quiet 22-07", gettext("hours that do not count")),
            ("vacation FROM TO, vacation off", gettext("days off for yourself")),
            ("holiday FROM TO", gettext("days off for the table, when all agree")),
            ("leads 24h 4h, snooze 3h", gettext("when you are reminded; no mail for a while")),
            ("mail turns, mail digest 08:00, mail off, unsubscribe", gettext("how you are told of turns")),
            (
                "mail receipts all, mail receipts refusals, mail receipts none",
                gettext("when your mails are answered"),
            ),
            ("mails", gettext("what came of your last mails")),
            (
                "notify talk web, notify turn digest 08:00",
                gettext("how one kind of news comes; kinds: turn, reminder, timeout, talk, table"),
            ),
            (
                "notify, notify by NAME",
                gettext("your devices, chats and programs, and which of them tells you"),
            ),
            ("sitter NAME FROM TO, sitter off", gettext("somebody plays for you meanwhile")),
            ("rename NAME, erase", gettext("your name; how to erase your account")),
            ("archive named, archive numbered", gettext("whether the open archive of matches names you")),
            ("tokens, token new NAME, token revoke NAME", gettext("keys for programs of yours")),
            ("address new", gettext("another reply address")),
        ),
    ]


def _group(title: str, *entries: tuple[str, str]) -> Group:
    return Group(title, [HelpLine(translate_blanks(commands), meaning) for commands, meaning in entries])
