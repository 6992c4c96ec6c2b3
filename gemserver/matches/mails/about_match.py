"""A mail about a match, of whatever kind: the data that it shows its reader, and its text, HTML and headers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import Truncator
from django.utils.translation import gettext

from games.contract import Asked
from games.listing import MOST_COUNTED
from games.prose import wrap
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.database.prepared import Param, Prepared
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.plain import end_sentence, indent_lines, keep_direction, tidy
from gemserver.lib.text.translator import translator
from gemserver.matches import mail_ids, replay, selectors, sitters
from gemserver.matches.boards import board
from gemserver.matches.log import log_story
from gemserver.matches.mails import subjects
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.matches.notifications import TOPIC_OF
from gemserver.matches.prompts import Prompt, ask_limit, explain_moves, find_asked, prompt_text, split_prompt
from gemserver.matches.words.clocks import bank_sentence
from gemserver.matches.words.plans import say_ended
from gemserver.notify.content import DEAD, Content, Gone, Image
from gemserver.notify.models import OutboxMessage

LONGEST_PREVIEW = 200
"""Characters of the hidden text that lists of mails show; none shows more."""
ONE_TAP_MOVES = 20
"""All legal moves are offered as ready-made replies only if there are no more than this."""
LIKELY_MOVES = 3
LONGEST_LIKELY = 60
"""A longer reply would be wrapped, and three lines that all stand in our mail pass for a quote of it."""


@dataclass(frozen=True, slots=True)
class OneTapMove:
    """A link that opens a ready-made reply with one move."""

    text: str
    url: str


@dataclass(frozen=True)
class MatchMail:
    """The data that every mail about a match shows its reader."""

    match: Match
    seat: Seat
    seats: Sequence[Seat]
    """All seats of the match, in order."""
    turn: int
    """The prompt it is about, or the ply that was reached."""
    is_holder: bool = True
    """True if its reader holds the seat."""
    sitting: Sitting | None = None
    """The sitting under which its reader plays the seat at present."""
    dead_channels: Sequence[str] = ()
    """Names of channels of its reader that died, so that this comes by mail."""

    @classmethod
    def read(cls, message: OutboxMessage) -> MatchMail:
        """Like `find`, for an outbox row; raises Gone when match or seat are.

        Tables of guests are deleted with them, and the seat of whoever leaves a table that waits.
        """
        mail = cls.find(message.user, message.data)
        if mail is None:
            raise Gone(f"seat {message.data['seat']} of match {message.data['match']}")
        return replace(mail, dead_channels=message.data[DEAD]) if message.data.get(DEAD) else mail

    @classmethod
    def find(cls, reader: User | None, about: Mapping[str, int]) -> MatchMail | None:
        """Read what `about` names (match, seat, turn) as it stands now for this reader; None when it is gone."""
        found = _matches(match=about["match"])
        seats = found[0].read_seats() if found else []
        seat = next((seat for seat in seats if seat.index == about["seat"]), None)
        return cls._of(seat, seats, reader, about["turn"]) if seat else None

    @classmethod
    def of(cls, seat: Seat, reader: User | None, turn: int) -> MatchMail:
        """A mail about this seat. A reader who neither holds it nor sits there sees only what anybody may."""
        return cls._of(seat, seat.match.read_seats(), reader, turn)

    @classmethod
    def _of(cls, seat: Seat, seats: Sequence[Seat], reader: User | None, turn: int) -> MatchMail:
        is_holder = reader is not None and seat.user_id == reader.pk
        sitting = sitters.sitting_in(seat, clock.now()) if reader and not is_holder else None
        if sitting and sitting.sitter_id != (reader and reader.pk):
            sitting = None
        return cls(seat.match, seat, seats, turn, is_holder, sitting)

    @cached_property
    def view(self) -> Any:
        """The position as the reader may see it, None before the match has begun.

        Raises one of `game_guard.UNPLAYABLE` when it cannot be read, so mails without a board do not ask.
        """
        return selectors.view_for(self.match, self.shown_seat) if self.match.position else None

    @cached_property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def shown_seat(self) -> Seat | None:
        """The seat whose view and log the reader may see now; None: only what anybody may see."""
        return self.seat if self.is_holder or self.sitting else None

    @property
    def is_asked(self) -> bool:
        """True if the seat still has to answer this prompt, and the reader may answer for it."""
        is_prompt = self.seat.is_waiting and self.seat.prompt_ply == self.turn
        return self.shown_seat is not None and self.match.is_running and is_prompt

    @cached_property
    def is_readers_turn(self) -> bool:
        """True if the reader is to answer; False for a player for whom a sitter plays by now."""
        is_given_away = self.is_holder and sitters.sitting_in(self.seat, clock.now()) is not None
        return self.is_asked and not is_given_away

    @cached_property
    def heading(self) -> str:
        """Names the match among others: `[GEM M17] Ana, Bob, Cy`."""
        return heading(self.match, self.names)

    @cached_property
    def task(self) -> str:
        """Names what the reader is asked for, in a few words: `bid or pass (day 2 of 6, auction 1)`."""
        return subjects.say_task(self.match, self.listed_moves, self.drawing, self.names)

    def say_turn(self) -> str:
        """The news that it is the reader's turn, with the task."""
        return gettext("Your turn: %(task)s") % {"task": self.task} if self.task else gettext("Your turn")

    def preview_turn(self, news: str) -> str:
        """The line that lists of mails show of a turn mail: the news, when the move is due, and what has happened."""
        said = [end_sentence(news)]
        if self.seat.due_at:
            due = date_format(timezone.localtime(self.seat.due_at), "D j M H:i T")
            said.append(gettext("Due %(due)s.") % {"due": due})
        return Truncator(" ".join([*said, *self.news])).chars(LONGEST_PREVIEW)

    @cached_property
    def _own_last_ply(self) -> int:
        return selectors.last_ply_of(self.match, self.seat)

    @cached_property
    def news(self) -> list[str]:
        """The log since the player's own last move, in words; what that move set off is news too."""
        entries = log_story.tell_news(
            self.match, self.shown_seat, self._own_last_ply, self.seats, is_own=self.is_holder
        )
        return [
            sentence
            for entry in entries
            for sentence in ([entry.text] if entry.is_taken_back else entry.sentences)
        ]

    @cached_property
    def first_turn(self) -> str:
        """An introduction for a player's first move in this game; empty for others."""
        is_first = self.is_holder and self.is_asked and not self._own_last_ply
        if not (is_first and selectors.is_new_to(self.match.game, self.seat)):
            return ""
        return self.match.words.first_turn(translator())

    @property
    def bank(self) -> str:
        """A sentence on the bank that the seat uses up while it is asked; empty without one."""
        return bank_sentence(self.match, self.seat) if self.is_asked else ""

    @property
    def prompt(self) -> str:
        """The question, moves that answer it, and how moves are written; lines of at most 72 columns.

        Whoever has answered, and may only change that, is not told the moves again.
        """
        if not self.seat.is_waiting:
            return wrap(self.question)
        return f"{self._prompt.listing}\n{wrap(self.listed_note)}".rstrip()

    @cached_property
    def _prompt(self) -> Prompt:
        return split_prompt(prompt_text(self.match, self.view, self.names))

    @cached_property
    def ended_plan(self) -> str:
        """Says how the reader's plan ended, if that is why the seat is asked; else empty."""
        plan = selectors.ended_plan(self.seat, self.turn - 1) if self.is_holder else None
        return say_ended(plan) if plan else ""

    @property
    def question(self) -> str:
        """The prompt without its list of moves, in one line."""
        return self._prompt.question

    @property
    def listed_moves(self) -> list[str]:
        """The moves that the prompt lists."""
        return self._prompt.moves

    @cached_property
    def listed_note(self) -> str:
        """Says below the listed moves how moves are written, and how many there are if those are not all."""
        return self.explain(self.listed_moves)

    @property
    def replies_note(self) -> str:
        """Like `listed_note`, below the ready replies and the moves beside them."""
        return self.explain([*(move.text for move in self.one_tap_moves), *self.other_examples])

    def explain(self, shown: Sequence[str]) -> str:
        """Say how moves are written, and how many there are if those that are shown are not all."""
        position, texts = replay.position(self.match), self._legal_texts
        count = MOST_COUNTED + 1 if texts is None else len(texts)
        return explain_moves(self.match, position, self.seat.index, self._prompt, shown, count)

    @cached_property
    def _legal_texts(self) -> Sequence[str] | None:
        return selectors.legal_texts(self.match, self.seat, MOST_COUNTED)

    @property
    def other_examples(self) -> list[str]:
        """The moves to be listed beside the ready replies: the first of each kind that none of them shows; else all."""
        if not self.seat.is_waiting:
            return []
        if not self.one_tap_moves:
            return self.listed_moves
        shown = {move.text.split()[0] for move in self.one_tap_moves}
        first = {move.split()[0]: move for move in reversed(self.listed_moves)}
        return [move for move in self.listed_moves if move in first.values() and move.split()[0] not in shown]

    @cached_property
    def asked(self) -> Asked | None:
        """The seats that the match waits for, as a drawing shows them."""
        return find_asked(self.match, replay.position(self.match))

    @cached_property
    def drawing(self) -> str:
        """The board as text, every line indented so that it cannot be read as a command."""
        text = self.match.words.draw(self.view, translator(), self.names, self.asked)
        return indent_lines(text)

    @cached_property
    def one_tap_moves(self) -> list[OneTapMove]:
        """A ready-made reply for each legal move, or for a few likely ones if there are too many."""
        texts: Sequence[str] = ()
        if self.is_asked and ask_limit(self.match, replay.position(self.match), self.seat.index):
            texts = self.listed_moves  # orders for the whole contest
        elif self.is_asked:
            texts = self._legal_texts or ()
            if not 1 <= len(texts) <= ONE_TAP_MOVES:
                texts = selectors.likely_texts(self.match, self.seat, LIKELY_MOVES, LONGEST_LIKELY)
        return self.ready_replies(texts)

    @property
    def are_all_ready(self) -> bool:
        """True if there is a ready reply for each legal move, so that they stay the same while others pick."""
        return self._legal_texts is not None and len(self.one_tap_moves) == len(self._legal_texts)

    def ready_replies(self, moves: Sequence[str]) -> list[OneTapMove]:
        """A ready-made reply for each of these moves, bound to this turn."""
        return [OneTapMove(text, self._ready_reply(f"{text} #{self.turn}")) for text in moves]

    def ready_commands(self, lines: Sequence[str]) -> list[OneTapMove]:
        """A ready-made reply for each of these commands."""
        return [OneTapMove(line, self._ready_reply(line)) for line in lines]

    @cached_property
    def reply_address(self) -> str:
        """The address for the reader's answer; the seat's own address is for its holder's eyes only."""
        if self.sitting:
            return self.sitting.reply_address
        return self.seat.reply_address if self.is_holder else settings.PLAY_ADDRESS

    def _ready_reply(self, body: str, to: str = "") -> str:
        return mailto(to or self.reply_address, f"Re: {subjects.base_subject(self.match)}", body)

    @cached_property
    def url(self) -> str:
        return settings.SITE_URL + self.match.get_absolute_url()

    @cached_property
    def deal_url(self) -> str:
        """The page on which the deal is checked; its hashes are for nobody to read in a mail."""
        return settings.SITE_URL + reverse("match-deal", args=[self.match.code])

    @cached_property
    def settings_url(self) -> str:
        """The page on which the reader chooses notifications: of this match, or a sitter's of all matches."""
        own = reverse("match-notifications", args=[self.match.code])
        return settings.SITE_URL + (own if self.is_holder else reverse("notifications"))

    @cached_property
    def ref_line(self) -> str:
        return mail_ids.ref_line(self.match.pk, self.turn, self.seat.index)

    def write(
        self,
        kind: str,
        *,
        news: str,
        with_board: bool = True,
        answers: bool = False,
        reply_to: str = "",
        preview: str = "",
        category: str = "",
        **more: object,
    ) -> Content:
        """Write the mail from `emails/<kind>.txt` and `.html`, with `mail` and `more` as their context.

        `news` stand in its subject and its first line, `preview` (usually the news) in what lists of mails show beside
        the subject; `reply_to` replaces the reader's own address, `category` the one by the kind.
        """
        images = (
            (Image("board", board.png(self.match, self.view, self.names, self.asked)),) if with_board else ()
        )
        subject = subjects.subject(self.match, news)
        context = {
            "mail": self,
            "match": self.match,
            "seat": self.seat,
            "subject": subject,
            "lead": end_sentence(news),
            "preview": preview or end_sentence(news),
            "with_board": with_board,
            "dead_channels": self.dead_channels,
            "channels_url": settings.SITE_URL + reverse("channels"),
            "agree_url": self._ready_reply("agree", reply_to),
            "refuse_url": self._ready_reply("refuse", reply_to),
            **more,
        }
        return Content(
            subject=subject,
            text=keep_direction(tidy(render_to_string(f"emails/{kind}.txt", context)), self.names),
            html=keep_direction(render_to_string(f"emails/{kind}.html", context), self.names),
            reply_to=reply_to or self.reply_address,
            images=images,
            headers={
                "List-Id": f"<{self.match.game}-{self.match.code.lower()}.{settings.MAIL_DOMAIN}>",
                "List-Help": f"<{self._ready_reply('help')}>",
                **subjects.outlook_headers(self.match),
            },
            answers=answers,
            category=category or TOPIC_OF.get(kind, ""),
        )


_matches = Prepared(lambda: Match.objects.filter(pk=Param("match")))


def heading(match: Match, names: list[str]) -> str:
    """Name the match among others, `[GEM M17] Ana, Bob, Cy`, in at most 70 characters."""
    text = f"[{match.title} {match.code}] {', '.join(names)}"
    return text if len(text) <= 70 else text[:69] + "…"
