"""Simulated people: they look into their mailbox or at the site now and then, and answer by their habits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from random import Random

from django.db.models import Q

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.mailgate.ingest import ingest
from gemserver.matches import mail_ids, prompts, replay, selectors, sitters
from gemserver.matches.actions.people.snooze import snooze
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, end_sitting
from gemserver.matches.actions.seats.hand_over import take_seat
from gemserver.matches.actions.time.come_back import come_back
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday
from gemserver.matches.models import Holiday, Match, Move, Seat
from gemserver.matches.refusal import Refused
from tests.mailgate.posting import account_address
from tests.simulation.habits import Habit, Way
from tests.simulation.post import Letter, Post


@dataclass(slots=True)
class Question:
    """A turn that a mail has told of; `moves` are those it offers."""

    letter: Letter
    code: str
    moves: list[str]


@dataclass
class Player:
    """A user with habits; the questions of their mails that are not answered yet."""

    user: User
    habit: Habit
    chance: Random
    post: Post
    since: datetime
    questions: dict[tuple[int, int], Question] = field(default_factory=dict)
    answers: int = 0
    away_until: datetime | None = None

    @property
    def writes(self) -> bool:
        """True if this person answers by mail."""
        return self.habit.way in {Way.MAIL, Way.DIGEST}

    def has_left(self, now: datetime) -> bool:
        return self.habit.leaves_after is not None and now - self.since > self.habit.leaves_after

    def is_away(self, now: datetime) -> bool:
        return self.away_until is not None and now < self.away_until

    def look(self, now: datetime) -> None:
        """One sitting at the computer."""
        if self.has_left(now) or self.is_away(now):
            return
        if self.habit.snoozes and self.chance.random() < 0.1:
            snooze(self.user, timedelta(hours=self.chance.randint(2, 30)), now=now)
        self._take_seats_back(now)
        self._come_back(now)
        for letter in self.post.collect(self.user.email):
            self._read(letter)
        if self.habit.substitutes and self.chance.random() < 0.2:
            self._substitute(now)
        self._consent(now)
        self._agree_to_sit(now)
        if self.writes:
            self._answer_by_mail(now)
        if not self.writes or self.chance.random() < 0.1:
            self._answer_on_the_web(now)

    def _read(self, letter: Letter) -> None:
        if letter.kind == "left to a bot" and self.writes:
            self._write(letter, ["return"])
        elif letter.kind in {"turn", "reminder"}:
            ref = mail_ids.read_message_id(letter.message_id)
            assert ref
            self.questions[ref.match, ref.seat] = Question(letter, "", letter.offers()[""])
        elif letter.kind == "digest":
            offers = letter.offers()
            for ref in mail_ids.find_ref_lines(letter.text):
                code = f"M{ref.match}"
                self.questions[ref.match, ref.seat] = Question(letter, code, offers[code])

    def _answer_by_mail(self, now: datetime) -> None:
        """One reply to each mail; to a digest, with a line for every match that is answered."""
        replies: dict[str, tuple[Letter, list[str]]] = {}
        for key, question in list(self.questions.items()):
            if not question.moves or self.chance.random() > self.habit.answers:
                continue
            del self.questions[key]
            move = self.chance.choice(question.moves)
            line = f"{question.code}: {move}" if question.code else move
            replies.setdefault(question.letter.message_id, (question.letter, []))[1].append(line)
        for letter, lines in replies.values():
            self._write(letter, lines)

    def command(self, line: str) -> None:
        """Write to the account's own address, in a mail that answers none."""
        self._send(account_address(self.user), line, {"Subject": "Hello"})

    def _write(self, letter: Letter, lines: list[str]) -> None:
        """Reply as a mail program does: the answer on top, the mail quoted below."""
        quoted = [f"> {line}" for line in letter.text.splitlines()]
        attribution = "On Fri, 6 Mar 2026 at 13:00, Gem server <play@gem.localhost> wrote:"
        headers = {"Subject": f"Re: {letter.subject}", "In-Reply-To": letter.message_id}
        self._send(letter.reply_to, "\n".join([*lines, "", attribution, *quoted, ""]), headers)

    def _send(self, to: str, text: str, headers: Mapping[str, str]) -> None:
        self.answers += 1
        mail = EmailMessage()
        mail["From"], mail["To"] = self.user.email, to
        mail["Message-ID"] = f"<{self.answers}.{self.user.pk}@players.example.org>"
        for name, value in headers.items():
            mail[name] = value
        mail.set_content(text)
        self.post.has_letters = True
        ingest(mail.as_bytes(), self.user.email, to, "smtp", {})

    def _answer_on_the_web(self, now: datetime) -> None:
        sat_in = sitters.acting(now).filter(sitter=self.user).values("seat")
        mine = Seat.objects.filter(Q(user=self.user) | Q(pk__in=sat_in))
        asked = mine.filter(is_waiting=True, is_away=False, match__status=Match.Status.RUNNING)
        for seat in asked.select_related("match").order_by("due_at", "pk"):
            Seat.objects.filter(pk=seat.pk).update(seen_at=now)
            if self.chance.random() > self.habit.answers:
                continue
            chance = Chance(f"{self.chance.getrandbits(256):064x}", "simulation")
            position = prompts.position_to_answer(seat.match, replay.position(seat.match), seat.index)
            move = seat.match.rules.random_move(position, seat.index, chance)
            self.answers += 1
            request = Request(
                match_code=seat.match.code,
                actor=Actor.player(self.user),
                text=seat.match.rules.write(move),
                source=Move.Source.WEB,
                request_id=f"web:{self.user.pk}:{self.answers}",
                prompt_ply=seat.prompt_ply,
            )
            submit(request, now=now)
            self.questions.pop((seat.match_id, seat.index), None)

    def _consent(self, now: datetime) -> None:
        proposals = Holiday.objects.filter(outcome=Holiday.Outcome.OPEN, match__seats__user=self.user)
        for match_id in list(proposals.values_list("match", flat=True)):
            agree_to_holiday(match_id, self.user, now=now)

    def _agree_to_sit(self, now: datetime) -> None:
        for sitting in list(sitters.current(now).filter(sitter=self.user, agreed_at=None)):
            try:
                agree_to_sit(sitting.pk, self.user, now=now)
            except Refused:  # somebody who has come to play in that match meanwhile
                continue

    def _take_seats_back(self, now: datetime) -> None:
        """A person who is back plays again, even before the end of the sitter's time."""
        for sitting in list(sitters.current(now).filter(player=self.user, ended_at=None)):
            end_sitting(sitting.pk, self.user, now=now)

    def _come_back(self, now: datetime) -> None:
        """Take back, on the site, the seats that bots hold; those who write do it by mail."""
        away = self.user.seats.filter(is_away=True, match__status=Match.Status.RUNNING)
        for match_id in [] if self.writes else list(away.values_list("match", flat=True)):
            try:
                come_back(match_id, self.user, now=now)
            except Refused:  # too little time is left before the season ends
                continue

    def _substitute(self, now: datetime) -> None:
        """Take over a seat that an absent player has lost, if there is one."""
        seat = selectors.open_seats(self.user).first()
        if seat:
            try:
                take_seat(seat.match_id, seat.index, self.user, now=now)
            except Refused:  # somebody whom the table does not want
                return
