"""The results of a simulation, in figures."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator

from django.db.models import Count, Exists, OuterRef

from gemserver.events.models import EventLog, Season
from gemserver.matches.models import Holiday, Match, Move, Notice, Seat, Sitting, Stop
from gemserver.notify.models import OutboxMessage
from gemserver.ratings.models import RatedMatch, RatingChange
from tests.simulation.world import World


def report(world: World) -> Iterator[str]:
    """The lines of the report."""
    plan = world.plan
    yield (
        f"{plan.days} days from {plan.start:%d %B %Y}, {plan.matches} matches, "
        f"{plan.players} players, seed {plan.seed}"
    )
    yield from _matches()
    yield from _moves()
    yield from _ratings()
    yield from _seasons()
    yield from _sittings()
    yield from _reminders(world)
    yield from _mails(world)
    yield from _stops()
    yield from _work(world)
    yield f"problems: {len(world.problems)}"
    yield from (f"  {problem}" for problem in world.problems[:50])


def _matches() -> Iterator[str]:
    states = Counter(Match.objects.values_list("status", flat=True))
    yield "matches: " + _list(states)
    holidays = Holiday.objects.filter(outcome=Holiday.Outcome.AGREED).count()
    kinds = Counter(Notice.objects.values_list("kind", flat=True))
    yield "lines in logs: " + _list(kinds) + f"; holidays agreed on: {holidays}"


def _moves() -> Iterator[str]:
    sources = Counter(Move.objects.filter(voided_at=None).values_list("source", flat=True))
    yield f"moves: {sum(sources.values())}, of which " + _list(sources)
    kinds = Counter(Notice.objects.values_list("kind", flat=True))
    yield (
        f"timeouts: {sources['clock'] + kinds['seat-open']} "
        f"(seats given away {kinds['seat-open']}, taken by a substitute {kinds['seat-taken']}, "
        f"still held by a bot {Seat.objects.filter(is_open=True, match__status='running').count()})"
    )


def _ratings() -> Iterator[str]:
    """How finished matches were rated, and the reasons of changes."""
    verdicts = Counter(refusal or "rated" for refusal in RatedMatch.objects.values_list("refusal", flat=True))
    reasons = Counter(RatingChange.objects.values_list("why", flat=True))
    spared = RatingChange.objects.filter(is_spared=True).count()
    yield f"verdicts for ratings: {_list(verdicts)}; changes: {_list(reasons)}, spared {spared}"


def _seasons() -> Iterator[str]:
    """The seasons of leagues, and how their matches ended."""
    for season in Season.objects.select_related("event").order_by("event__name", "number"):
        divisions = season.divisions.annotate(players=Count("entries", distinct=True)).order_by("level")
        matches = Match.objects.filter(fixture__division__season=season)
        endings = Counter(matches.values_list("ending", flat=True))
        yield (
            f"{season.event.slug}, season {season.number}: {season.state}, "
            f"players {' + '.join(str(division.players) for division in divisions) or 'none'}, "
            f"matches {matches.count()} ({_list(endings)})"
        )
    deeds = Counter(EventLog.objects.values_list("kind", flat=True))
    if deeds:
        yield f"deeds in leagues: {_list(deeds)}"


def _sittings() -> Iterator[str]:
    sittings = list(Sitting.objects.all())
    agreed = [sitting for sitting in sittings if sitting.agreed_at]
    ended = Counter(
        "going on"
        if sitting.ended_at is None
        else "run out"
        if sitting.ended_at == sitting.ends_at
        else "ended early"
        for sitting in agreed
    )
    moves = Move.objects.filter(
        Exists(
            Sitting.objects.filter(
                seat__match=OuterRef("match"),
                seat__index=OuterRef("seat"),
                sitter=OuterRef("actor"),
                agreed_at__lte=OuterRef("created_at"),
            )
        )
    )
    yield (
        f"sittings: {len(sittings)} asked for, {len(agreed)} agreed to, of which {_list(ended)}; "
        f"moves by sitters: {moves.count()}"
    )


def _reminders(world: World) -> Iterator[str]:
    states = Counter(OutboxMessage.objects.filter(kind="reminder").values_list("state", flat=True))
    yield f"reminders: {sum(states.values())}, of which " + _list(states)
    yield "  " + _list(world.checks.leads)


def _mails(world: World) -> Iterator[str]:
    kinds = Counter(letter.kind for letter in world.post.sent)
    yield f"mails: {sum(kinds.values())}, of which " + _list(kinds)
    per_day: dict[str, Counter[object]] = defaultdict(Counter)
    for letter in world.post.sent:
        per_day[letter.to][letter.at.date()] += 1
    yield "mails per player and day:"
    for way in dict.fromkeys(player.habit.way for player in world.players):
        addresses = [player.user.email for player in world.players if player.habit.way is way]
        counts = sorted(count for address in addresses for count in per_day[address].values())
        if counts:
            mean = sum(counts) / (len(addresses) * world.plan.days)
            high = counts[int(len(counts) * 0.95)]
            yield f"  {way.value}: {mean:.2f} on average, 95 of 100 days with mail up to {high}, at most {counts[-1]}"
    yield from _mails_of_a_week(world)


def _mails_of_a_week(world: World) -> Iterator[str]:
    """The mail that one player gets in a week, by how they want it."""
    yield f"mails per player and week, with receipts for {world.plan.receipts}:"
    for way in dict.fromkeys(player.habit.way for player in world.players):
        people = {player.user.email for player in world.players if player.habit.way is way}
        letters = [letter for letter in world.post.sent if letter.to in people]
        if letters:
            each = len(people) * world.plan.days / 7
            sizes = sorted(letter.size for letter in letters)
            receipts = sum(letter.kind == "answer" for letter in letters)
            yield (
                f"  {way.value}: {len(letters) / each:.1f} mails, {sum(sizes) / each / 1000:.0f} kB, "
                f"{receipts / each:.1f} of them receipts; "
                f"a mail has {sizes[len(sizes) // 2] / 1000:.0f} kB, the largest {sizes[-1] / 1000:.0f} kB"
            )


def _stops() -> Iterator[str]:
    for stop in Stop.objects.filter(match=None).order_by("start"):
        yield f"credited to all: {stop}"
    yield f"pauses: {Stop.objects.exclude(match=None).count()}"


def _work(world: World) -> Iterator[str]:
    times = sorted(world.sweep_times)
    yield (
        f"sweeps: {len(times)}, median {1000 * statistics.median(times):.1f} ms, "
        f"99 of 100 within {1000 * times[int(len(times) * 0.99)]:.0f} ms, slowest {1000 * times[-1]:.0f} ms"
    )
    for what in ("sweep", "mail read", "mail sent"):
        count = world.queries[f"{what} times"]
        yield f"  statements for {what}: {world.queries[what]}, {world.queries[what] / max(1, count):.1f} each time"


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"
