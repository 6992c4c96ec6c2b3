"""The daily digest: the matches that wait for its reader, and the news saved up for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import partial

from django.conf import settings
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext

from gemserver.accounts.models import User
from gemserver.lib.text.fractions import show_fraction
from gemserver.lib.text.plain import end_sentence, quote_lines, tidy
from gemserver.matches import selectors, talk
from gemserver.matches.boards import board
from gemserver.matches.broken_games import is_stopped, stop_broken, stops_when_broken
from gemserver.matches.log import notices
from gemserver.matches.mails.about_match import LONGEST_PREVIEW, MatchMail, OneTapMove, heading
from gemserver.matches.models import Match, Move, NotificationChoice, Seat
from gemserver.matches.notifications import DIGEST, Wishes
from gemserver.matches.offered.game_guard import UNPLAYABLE, BrokenGame
from gemserver.matches.words.moves import say_played
from gemserver.notify.content import Content, Image
from gemserver.notify.models import OutboxMessage

log = logging.getLogger(__name__)

Topic = NotificationChoice.Topic
Channel = NotificationChoice.Channel

MOST_BYTES = 96_000
"""The most that a digest may take, so that with its header it is below 100 kB (mail-requirements.md Q5)."""
SHOWN_IN_FULL = 8
"""Matches that are shown with picture, news and moves, if there is room; the others with their board in words."""
KEPT_PICTURES = 4
"""Pictures that leave a digest later than the boards in words, which take a third of their room."""
MOST_SHOWN = 40
MOST_NEWS = 5
MOST_MOVES = 6


@dataclass(slots=True)
class WaitingMatch:
    """One match that waits for the reader, with as much about it as there is room for."""

    mail: MatchMail
    drawing: str = ""
    """The board in words, as in a mail about this turn alone; for the text part."""
    picture: Image | None = None
    news: Sequence[str] = ()
    """The last sentences of the log since the reader's own move."""
    earlier: int = 0
    """The number of sentences left out before them."""
    moves: Sequence[OneTapMove] = ()
    is_first_of_game: bool = False

    @property
    def note(self) -> str:
        """How moves are written, beside the pictures only once for each game, for which there is room."""
        if not self.is_first_of_game:
            return ""
        return self.mail.explain([move.text for move in self.moves]) if self.moves else self.mail.listed_note

    @property
    def points(self) -> str:
        """The standing that everybody sees: `Ana 5, Ben 3`."""
        scores = [(seat.name, seat.score) for seat in self.mail.seats if seat.score is not None]
        return ", ".join(f"{name} {show_fraction(Fraction(score))}" for name, score in scores)


@dataclass(frozen=True, slots=True)
class MatchNews:
    """News of one match; `lines` are our own sentences, or quoted talk behind `| `."""

    subject: str
    url: str
    lines: tuple[str, ...]


@stops_when_broken
def digest(message: OutboxMessage) -> Content | None:
    """The matches that wait for the player, most urgent first, then the news; None when neither is left."""
    assert message.user is not None
    wishes = Wishes.of(message.user)
    mails = [_find(message.user, prompt) for prompt in message.data["prompts"]]
    asked = [
        mail
        for mail in mails
        if mail and mail.is_readers_turn and wishes.channel(Topic.TURN, mail.match.pk) == Channel.DIGEST
    ]
    news = digest_news(message.user, datetime.fromisoformat(message.data["since"]))
    if not asked and not news:
        return None
    waiting = ngettext("Your turn in one match", "Your turn in %(n)d matches", len(asked)) % {"n": len(asked)}
    subject = waiting if asked else gettext("News of your matches")
    told = [*(f"{mail.match.code}: {mail.task}" for mail in asked), *(item.subject for item in news)]
    waits = [_show_in_full(mail) for mail in asked[:SHOWN_IN_FULL]]
    waits += [WaitingMatch(mail, mail.drawing) for mail in asked[SHOWN_IN_FULL:MOST_SHOWN]]
    for first in {shown.mail.match.game: shown for shown in reversed(waits)}.values():
        first.is_first_of_game = True
    context = {
        "lead": end_sentence(subject),
        "preview": Truncator(" · ".join([subject, *told])).chars(LONGEST_PREVIEW),
        "number": len(asked),
        "waits": waits,
        "left_out": len(asked) - len(waits),
        "news": news,
        "site_url": settings.SITE_URL,
        "settings_url": settings.SITE_URL + reverse("notifications"),
    }
    text, html = _write_within(waits, context)
    return Content(
        subject=subject,
        text=text,
        html=html,
        reply_to=settings.ACCOUNT_REPLY.format(token=message.user.token),
        images=tuple(shown.picture for shown in waits if shown.picture),
        category=DIGEST,
    )


def _find(reader: User, prompt: Mapping[str, int]) -> MatchMail | None:
    """The mail about a match; None once it is gone, or while it cannot be played."""
    mail = MatchMail.find(reader, prompt)
    if mail is None or is_stopped(mail.match):
        return None
    try:
        return mail if mail.view is not None else None
    except BrokenGame as error:
        stop_broken(error)
    except UNPLAYABLE as error:
        log.error("match %s is left out of a digest: %s", mail.match.code, error)
    return None


def _show_in_full(mail: MatchMail) -> WaitingMatch:
    return WaitingMatch(
        mail,
        mail.drawing,
        Image(
            f"board-{mail.match.code.lower()}", board.small_png(mail.match, mail.view, mail.names, mail.asked)
        ),
        news=mail.news[-MOST_NEWS:],
        earlier=max(0, len(mail.news) - MOST_NEWS),
        moves=mail.one_tap_moves[:MOST_MOVES],
    )


def _write_within(waits: Sequence[WaitingMatch], context: Mapping[str, object]) -> tuple[str, str]:
    """Render text and HTML; what can be spared is left out, from the last match on, until all fits."""
    spared = _list_what_can_be_spared(waits)
    while True:
        text = tidy(render_to_string("emails/digest.txt", context))
        html = render_to_string("emails/digest.html", context)
        excess = _size(text, html, waits) - MOST_BYTES
        if excess <= 0 or not spared:
            return text, html
        while spared and excess > 0:
            excess -= spared.pop(0)()


def _list_what_can_be_spared(waits: Sequence[WaitingMatch]) -> list[Callable[[], int]]:
    """List what a digest that is too large can spare, in order; each leaves when it is called, and tells its bytes."""
    full = waits[:SHOWN_IN_FULL]
    return [
        *(partial(_leave_picture_out, each) for each in reversed(full[KEPT_PICTURES:])),
        *(partial(_leave_drawing_out, each) for each in reversed(waits)),
        *(partial(_leave_picture_out, each) for each in reversed(full[:KEPT_PICTURES])),
        *(partial(_leave_moves_out, each) for each in reversed(full)),
    ]


def _leave_picture_out(shown: WaitingMatch) -> int:
    won, shown.picture = _encoded(shown.picture) if shown.picture else 0, None
    return won


def _leave_drawing_out(shown: WaitingMatch) -> int:
    won, shown.drawing = _quoted_printable(shown.drawing), ""
    return won


def _leave_moves_out(shown: WaitingMatch) -> int:
    """Leave out moves and news; their lines count as 80 bytes in each part."""
    won = 160 * (len(shown.moves) + len(shown.news))
    shown.moves, shown.news, shown.earlier = (), (), 0
    return won


def _size(text: str, html: str, waits: Sequence[WaitingMatch]) -> int:
    parts = _quoted_printable(text) + _quoted_printable(html)
    return parts + sum(_encoded(each.picture) for each in waits if each.picture)


def _quoted_printable(text: str) -> int:
    """The size of the text in the mail, about: a letter with an accent takes six signs."""
    return (len(text) + 5 * sum(sign > "~" for sign in text) + text.count("=") * 2) * 77 // 75


def _encoded(picture: Image) -> int:
    return len(picture.png) * 78 // 57 + 300


def digest_news(user: User, since: datetime) -> list[MatchNews]:
    """The news since then of the player's matches, of the kinds the player wants in the digest."""
    wishes = Wishes.of(user)
    recent = Q(match__status=Match.Status.RUNNING) | Q(match__finished_at__gt=since)
    found = []
    for seat in Seat.objects.filter(recent, user=user).select_related("match", "user").order_by("match"):
        if lines := tuple(_lines(seat, wishes, since)):
            url = settings.SITE_URL + seat.match.get_absolute_url()
            found.append(MatchNews(heading(seat.match, selectors.names(seat.match)), url, lines))
    return found


def _lines(seat: Seat, wishes: Wishes, since: datetime) -> Iterator[str]:
    wanted = {topic for topic in Topic if wishes.channel(topic, seat.match_id) == Channel.DIGEST}
    if Topic.TABLE in wanted:
        yield from _of_table(seat.match, since)
    if Topic.TIMEOUT in wanted:
        missed = seat.match.moves.filter(seat=seat.index, source=Move.Source.CLOCK, voided_at=None)
        for move in missed.filter(created_at__gt=since).order_by("ply"):
            yield gettext("Your time ran out, and the server moved for you: %(move)s") % {
                "move": say_played(move)
            }
    if Topic.TALK in wanted:
        for message in talk.messages_for(seat).filter(created_at__gt=since).exclude(author=wishes.user):
            yield gettext("%(name)s writes:") % {"name": talk.author_name(message)}
            yield from quote_lines(message.text)


def _of_table(match: Match, since: datetime) -> Iterator[str]:
    if match.started_at and match.started_at > since:
        yield gettext("The match has begun.")
    names = selectors.names(match)
    for notice in match.notices.filter(created_at__gt=since).exclude(kind__in={"settled", *notices.PROOFS}):
        yield notices.sentence(notice, names)
    if match.finished_at and match.finished_at > since:
        yield gettext("The match is over.")
