"""The contents of a match's page for one reader; the templates only lay them out.

Nothing here looks into a position: everything comes from `view`, `words` and the events the reader may know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

from django.utils import timezone
from django.utils.safestring import SafeString

from games import registry
from games.contract import Choice, GameError, Limit
from games.prose import join_names
from gemserver.accounts.models import User, Vacation
from gemserver.lib import clock
from gemserver.lib.database.prepared_writes import PreparedUpdate
from gemserver.lib.text.translator import translator
from gemserver.matches import selectors, sitters, tables
from gemserver.matches.actions.play.preview import NO_DRAFT, Draft
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match, Seat, Sitting
from gemserver.matches.readers import SeenMatch
from gemserver.matches.refusal import Refused
from gemserver.matches.who_may_sit import Bar, refuse_to_come
from gemserver.matches.words.clocks import clock_terms
from gemserver.matches.words.moves import name_move, say_move
from gemserver.site.match.log_part import LogLine, tell_lines, write_log
from gemserver.site.match.picture import Picture
from gemserver.study.hints import is_practice, lacks_account_for_hints

LOG_SHOWN = 50
"""Lines of the log on a page; a link shows the others."""

PARTS = (
    "messages",
    "turns",
    "status",
    "newcomer",
    "board",
    "live",
    "questions",
    "sitter",
    "move",
    "orders",
    "players",
    "log",
    "talk",
    "notes",
    "about-match",
)
"""The ids of the parts that may change while the page is open; after any action htmx swaps all of them.

Each is on the page of every reader, empty if need be, so that it can come and go.
"""


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """A seat, the present or next vacation of its player, and the sitting under which a sitter plays it now.

    `refusal`: why the reader may not take the seat, which is free; None if they may.
    """

    seat: Seat
    vacation: Vacation | None
    sitting: Sitting | None
    refusal: Refused | None = None

    @property
    def why_not(self) -> str:
        """The reason for who wonders; nobody is told unasked that somebody there has blocked them."""
        return self.refusal.text() if self.refusal and self.refusal.code != Bar.NOT_WELCOME else ""


_save_look = PreparedUpdate(Seat, "seen_at")


@dataclass(frozen=True)
class MatchPage(SeenMatch):
    """The page of a started match for its reader."""

    draft: Draft = NO_DRAFT
    shows_whole_log: bool = False
    visitor: User | None = None
    """The reader, if they are signed in and hold no seat here."""

    @property
    def parts(self) -> str:
        """`PARTS` as a selector for htmx."""
        return ",".join(f"#{part}" for part in PARTS)

    @property
    def may_seal(self) -> bool:
        """True if anything ever lies face down in this match."""
        return self.match.is_sealed_pace or self.match.rules.meta.has_sealed_picks

    @property
    def form_template(self) -> tuple[str, ...]:
        """The game's own move form, or the one of all games."""
        return f"games/{self.match.game}/move_form.html", "matches/_move_form.html"

    @cached_property
    def log_rows(self) -> match_log.LogRows:
        newest = None if self.shows_whole_log else LOG_SHOWN
        return match_log.LogRows.read(self.match, seats=self.seats, newest=newest)

    @cached_property
    def _told_rows(self) -> match_log.LogRows:
        return self.log_rows if self.shows_whole_log else self.log_rows.around(self.match.ply, LOG_SHOWN)

    @property
    def whole_log(self) -> str:
        """The address of the whole log; empty if this page shows it all."""
        return f"{self.match.get_absolute_url()}?log=all#log" if self._told_rows.is_part else ""

    @cached_property
    def players(self) -> list[PlayerLine]:
        """The players in seat order, or the best first once the match is over."""
        ranking = sorted(self.seats, key=lambda seat: (seat.rank or len(self.seats), seat.index))
        away = selectors.vacations_at(self.seats, timezone.localdate()) if self.match.is_running else {}
        sitting = {row.seat_id: row for row in self.sittings if sitters.has_begun(row, clock.now())}
        return [
            PlayerLine(seat, away.get(seat.index), sitting.get(seat.pk), self._refuse(seat))
            for seat in ranking
        ]

    @property
    def deadlines(self) -> list[tuple[str, datetime | None]]:
        """Say who is waited for and until when; those who have the same minute are named together."""
        grouped: dict[datetime | None, list[Seat]] = {}
        for seat in self.waiting:
            minute = seat.due_at.replace(second=0, microsecond=0) if seat.due_at else None
            grouped.setdefault(minute, []).append(seat)
        return [
            (join_names([seat.name for seat in seats], translator()), seats[0].due_at)
            for seats in grouped.values()
        ]

    def _refuse(self, seat: Seat) -> Refused | None:
        """Why the visitor may not take the seat, if it is free."""
        if self.visitor is None or not seat.is_open:
            return None
        return refuse_to_come(self.match, self.visitor, seat)

    def note_look(self, now: datetime) -> None:
        """Record that the reader looks at their turn; while there is a sitter, only the sitter's look counts."""
        if self.played is None or not self.played.is_waiting:
            return
        given = [
            row for row in self.sittings if row.seat_id == self.played.pk and sitters.has_begun(row, now)
        ]
        if self.sitting or not given:
            self.played.seen_at = now
            _save_look([self.played])

    @property
    def terms(self) -> list[str]:
        """The terms of the clocks."""
        return clock_terms(self.match)

    @property
    def proposer(self) -> str:
        """The name of the player who proposes the holiday that is not settled yet."""
        return self.names[self.open_holiday.agreed[0]] if self.open_holiday else ""

    @property
    def may_come_back(self) -> bool:
        """True if a bot plays the reader's own seat because its time is used up."""
        return self.seat is not None and self.seat.is_away and self.match.is_running

    @property
    def may_ask_hint(self) -> bool:
        """True in practice against the server's bots, while its player is asked."""
        user = self.seat.user if self.seat and self.sitting is None else None
        return user is not None and self.my_turn and is_practice(self.match, self.seats, user)

    @property
    def lacks_account_for_hints(self) -> bool:
        """True if the reader is a guest, who would get hints here with an account."""
        user = self.seat.user if self.seat and self.sitting is None else None
        return user is not None and lacks_account_for_hints(self.match, self.seats, user)

    @property
    def waits_for_bots(self) -> bool:
        """True if a bot is to move, so that the page will soon be out of date."""
        return any(seat.bot_level for seat in self.waiting)

    @cached_property
    def rematch(self) -> Match | None:
        """The rematch of this match, once somebody has opened it; not for a player who has left the club."""
        seat_user = self.seat.user if self.seat else None
        player = self.sitting.sitter if self.sitting else seat_user
        return tables.find_seen_rematch(self.match, player) if self.match.is_over else None

    @cached_property
    def view(self) -> Any:
        """The reader's view of the position, or of the previewed one."""
        drafted = self.draft.ahead if self.draft.previewed is None else self.draft.previewed
        return self.undrafted_view if drafted is None else self.match.rules.view(drafted, self.reader)

    @property
    def is_undrafted(self) -> bool:
        """True if the picture shows the position as it is played."""
        return self.draft.previewed is None and self.draft.ahead is None

    @cached_property
    def picture(self) -> Picture:
        last_moves = self.log_rows.last_moves(self.played, up_to=self.match.ply) if self.is_undrafted else {}
        return Picture(self.match, self.view, self.names, self.asked, last_moves)

    @cached_property
    def first_turn(self) -> str:
        """An introduction for a player's first move in this game; empty for others."""
        if not self.my_turn or self.seat is None or self.log_rows.last_ply_of(self.seat):
            return ""
        if not selectors.is_new_to(self.match.game, self.seat):
            return ""
        return self.match.words.first_turn(translator())

    @cached_property
    def limit(self) -> Limit | None:
        """Asks for the number that makes an order for the whole contest; None if none is wanted, or a draft exists."""
        return None if self.draft.text else self.asked_limit

    @cached_property
    def is_bidding(self) -> bool:
        """True if what is sealed is a bid in an auction."""
        pace = registry.game(self.match.game).sealed_pace
        if not self.is_sealing or self.played is None or pace is None or pace.read_bid is None:
            return False
        rules = self.match.rules
        moves = islice(rules.legal_moves(self.answered_position, self.played.index), 2)
        return any(pace.read_bid(rules.write(move)) is not None for move in moves)

    @property
    def previewed_words(self) -> str:
        """The move that is previewed, as a sentence names it."""
        if self.played is None:
            return self.draft.text
        return say_move(self.match.rules, self.answered_position, self.played.index, self.draft.text)

    @property
    def offered(self) -> Sequence[tuple[str, str]]:
        """Moves that may be meant by a text that is none; each in notation and in words."""
        if self.played is None:
            return ()
        rules, state, seat = self.match.rules, self.answered_position, self.played.index
        return [(move, name_move(rules, state, seat, move)) for move in self.draft.offered]

    @property
    def is_changing(self) -> bool:
        """True if the reader is about to change an answer that lies face down."""
        return bool(self.draft.text or self.draft.refusal)

    @cached_property
    def choices(self) -> Sequence[tuple[Choice, str]]:
        """The choices that continue the move from `begun`, each with its label."""
        if not self.can_answer:
            return ()
        try:
            steps = self.list_steps(self.begun)
        except GameError:  # an order with alternatives is complete, and not a step of a move
            return ()
        return [(choice, choice.label.text(translator())) for choice in steps]

    @cached_property
    def begun(self) -> str:
        """The part of a move that the choices continue: the draft, or nothing if that leads nowhere."""
        if self.draft.refusal:
            return ""
        if self.draft.previewed is not None:
            return self.draft.text
        try:
            return self.draft.text if self.list_steps(self.draft.text) else ""
        except GameError:
            return ""

    @cached_property
    def request_id(self) -> UUID:
        return uuid4()

    @property
    def log(self) -> SafeString:
        return write_log(
            self.match,
            self.log_lines,
            whole_log=self.whole_log,
            has_sealed=self.may_seal and bool(self.log_rows.notices),
        )

    @cached_property
    def log_lines(self) -> list[LogLine]:
        """The lines of the log, newest first."""
        known = self.log_rows.last_ply_of(self.played) if self.played else self.match.ply
        is_own = self.sitting is None
        entries = log_story.tell_story(self.match, self.played, self._told_rows, is_own=is_own)
        return tell_lines(entries, known)
