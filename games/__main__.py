"""`python -m games`: replay, verify, play, learn and bench, without any server."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from games import analysis, archive, asking, bench, posing, prediction, teaching, terminal
from games.arguments import build_parser
from games.contract import Asked, Game, GameError, seat_letter
from games.match import ENGLISH
from games.orders import list_choosers
from games.prose import wrap
from games.record import LONGEST_RECORD, Record, UnreadableRecord, read_options, read_record
from games.registry import GAMES, admit, game, list_installed, load
from games.replay import Replay, replay, summarise
from games.results import Standing, UnreadableResults, recompute
from games.starting import write_package
from games.verify import NotVerified, Verified, list_given_parts, verify

FINE, REFUSED, UNREADABLE, INCOMPLETE = 0, 1, 2, 3
MOST_LISTED_CHOICES = 10
LONGEST_FILE = 4 * LONGEST_RECORD
"""Bytes of a file with a record; of a longer one nothing is read into memory."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status.

    0, 1 (a line is refused, or does not fit), 2 (no readable record) or 3 (`verify`: not all could be checked).
    """
    _admit_installed()
    parsed = build_parser().parse_args(arguments)
    try:
        return RUN[parsed.command](parsed)
    except GameError as error:
        print(error, file=sys.stderr)
        return UNREADABLE
    except (KeyboardInterrupt, BrokenPipeError):
        return REFUSED


def _admit_installed() -> None:
    """Admit every installed game; one that cannot be imported is named on standard error and left out."""
    found = []
    for slug in list_installed():
        try:
            load(slug)
        except GameError as error:
            print(f"note: {error.message.text(ENGLISH)}", file=sys.stderr)
        else:
            found.append(slug)
    admit(found)


def _read_record(name: str) -> Record:
    """Read the record in this file, `-` for standard input. Raises UnreadableRecord."""
    record = read_record(_read_text(name, UnreadableRecord, LONGEST_FILE))
    for header in record.unknown:
        print(f"note: the header {header}: is not known and was ignored", file=sys.stderr)
    return record


def _read_text(name: str, unreadable: type[GameError], most: int | None = None) -> str:
    """Read this file, `-` for standard input, of so many bytes at most; a failure is raised as `unreadable`."""
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            raw = file.read(-1 if most is None else most + 1)
        if most is not None and len(raw) > most:
            raise unreadable("too-long", "{name} has more than {most} bytes.", name=name, most=most)
        return raw.decode("utf-8")
    except OSError as error:
        raise unreadable(
            "no-file", "{name}: {reason}.", name=name, reason=error.strerror or "unreadable"
        ) from error
    except UnicodeDecodeError as error:
        raise unreadable("not-utf-8", "{name} is not written in UTF-8.", name=name) from error


def run_ratings(parsed: argparse.Namespace) -> int:
    """Print the ratings that follow from the list; a figure of its own that differs makes the status 1."""
    found = recompute(_read_text(parsed.file, UnreadableResults).splitlines())
    for title, is_bot in (("people", False), ("bots", True)):
        listed = [standing for standing in found.standings if standing.is_bot is is_bot]
        if listed:
            _print_board(title, listed)
    print(f"matches: {found.matches}")
    if found.difference is None:
        return FINE
    print(found.difference, file=sys.stderr)
    return REFUSED


def _print_board(title: str, standings: Sequence[Standing]) -> None:
    """Print the settled players with their places, then the others."""
    print(f"{title:<18} {'rating':>7} {'':>6} {'matches':>8}")
    settled = [standing for standing in standings if not standing.belief.is_provisional]
    provisional = [standing for standing in standings if standing.belief.is_provisional]
    for place, standing in [*enumerate(settled, start=1), *((None, standing) for standing in provisional)]:
        belief = standing.belief
        label = f"{place}." if place else "-"
        print(
            f"{label:>5} {standing.player:<12} {belief.number:>7} ±{belief.margin:<5} {standing.matches:>8}"
            f"{'' if place else '  provisional'}"
        )
    print()


def run_replay(parsed: argparse.Namespace) -> int:
    """Print where the record leads; a refused line goes to standard error and makes the status 1."""
    record = _read_record(parsed.file)
    played = replay(record)
    print(json.dumps(summarise(played)) if parsed.json else _describe(played, _find_asked(record, played)))
    if played.refusal is None:
        return FINE
    print(played.refusal, file=sys.stderr)
    return REFUSED


def _find_asked(record: Record, played: Replay) -> Asked | None:
    """Return whom the table waits for, or None when that is simply the seats that are to act by the rules."""
    if (
        not played.ended
        and "pace=sealed" in record.options.split()
        and played.game.rules.bidders(played.state)
    ):
        return Asked(list_choosers(played.game, played.state), is_sealed=True)
    return played.asked


def _describe(played: Replay, asked: Asked | None) -> str:
    rules, words = played.game.rules, played.game.words
    view = rules.view(played.state, None)
    paragraphs = [words.draw(view, ENGLISH, played.players, asked)]
    if asked is None:
        paragraphs.append(words.prompt(view, ENGLISH, played.players))
    ranks = played.ranks
    table = [
        f"{ranks[seat]:>3}.  {played.players[seat]:<24} {played.scores[seat]:>4}"
        for seat in sorted(range(len(ranks)), key=ranks.__getitem__)
    ]
    return "\n\n".join([*paragraphs, "\n".join([f"After {played.ply} plies:", *table])])


def _say_who_chose(record: Record) -> str:
    """Say who may have chosen the deal of a record that fits, by the parts that players gave."""
    given = [seat_letter(seat) for seat in list_given_parts(record)]
    if not given:
        return (
            "No player gave a part: the server alone chose this deal. "
            "You can only check that it was not changed afterwards."
        )
    return (
        f"Parts given by players: {', '.join(given)}. Who gave one after they had seen the server's promise (the "
        "commitment, or the fingerprint of its secret) knows that the server did not choose this deal; a record does "
        "not say when it was given."
    )


def run_analyse(parsed: argparse.Namespace) -> int:
    """List choices with what they lost, and the mean of each player."""
    record = _read_record(parsed.file)
    refusal = replay(record).refusal  # before minutes of thought about the lines above it
    if refusal is not None:
        print(refusal, file=sys.stderr)
        return REFUSED
    judged = list(analysis.analyse(record, max(1, parsed.simulations)))
    worst = sorted(judged, key=lambda each: -each.loss)[:MOST_LISTED_CHOICES]
    for each in judged if parsed.all else worst:
        better = f"  {each.best} instead" if each.loss > 0 else ""
        print(f"{each.ply:>4} {seat_letter(each.seat)}  -{each.loss:4.1f}  {each.played}{better}")
    for seat, (choices, loss) in enumerate(analysis.summarise(judged, len(record.players))):
        print(f"{record.players[seat]} ({seat_letter(seat)}): {choices} choices, {loss:.1f} lost on average")
    return FINE


def run_archive(parsed: argparse.Namespace) -> int:
    """Replay all matches and count them by game, or print one match or its record."""
    try:
        with Path(parsed.file).open("rb") as file:
            rows = archive.read_rows(file)
            if parsed.number is None:
                return _replay_all(rows)
            row = next((row for row in rows if row.number == parsed.number), None)
    except OSError as error:
        reason = error.strerror or "unreadable"
        raise UnreadableRecord("no-file", "{name}: {reason}.", name=parsed.file, reason=reason) from error
    if row is None:
        raise archive.UnreadableArchive(
            "no-match", "{file} has no match {number}.", file=parsed.file, number=parsed.number
        )
    if parsed.record:
        print(row.record, end="")
    else:
        played = archive.check(row)
        print(_describe(played, played.asked))
    return FINE


def _replay_all(rows: Iterable[archive.Row]) -> int:
    matches, moves = Counter[str](), Counter[str]()
    for row in rows:
        try:
            played = archive.check(row)
        except GameError as error:
            print(error, file=sys.stderr)
            return REFUSED
        matches[row.record.game] += 1
        moves[row.record.game] += played.ply
    for slug, count in sorted(matches.items()):
        print(f"{slug}: {count} matches, {moves[slug]} moves")
    print(f"Every match replays to its end: {matches.total()}.")
    return FINE


def run_verify(parsed: argparse.Namespace) -> int:
    """Print that everything fits, or the first thing that does not (status 1), or what is missing (status 3)."""
    record = _read_record(parsed.file)
    try:
        found = verify(record)
    except NotVerified as error:
        print(error, file=sys.stderr)
        return REFUSED
    sealed = f", {len(record.sealed)} sealed orders" if record.sealed else ""
    checked = f"commitment, seed, deal, {found.ply} plies{sealed}."
    print(f"Everything fits: {checked}" if found.is_complete else f"What could be checked fits: {checked}")
    print(wrap(_say_who_chose(record)))
    for line in [*_list_missing(found), *_list_taken_on_trust(found)]:
        print(wrap(line))
    return FINE if found.is_complete else INCOMPLETE


def _list_missing(found: Verified) -> Iterator[str]:
    """List the reasons for which a record is not complete."""
    if not found.ended:
        yield "The record stops before the match is over."
    for gap in found.gaps:
        seat = f"{found.players[gap.seat]} ({seat_letter(gap.seat)})"
        if gap.lines:
            lines = _list_numbers(gap.lines)
            yield f"Lines without a sealed order in this record: {lines}, by {seat} in {gap.context}."
        if gap.versions:
            versions = _list_numbers(gap.versions)
            yield (
                f"Not in this record, perhaps taken back or empty, as the clock's: the order of {seat} for "
                f"{gap.context}, version {versions}."
            )


def _list_taken_on_trust(found: Verified) -> Iterator[str]:
    """List the lines that only the record itself vouches for."""
    for lines, what in (
        (found.by_moderator, "by a moderator"),
        (found.by_clock, "by the clock, as no sealed order had come"),
        (found.resignations, "resignations"),
    ):
        if lines:
            yield f"To be looked at by a person, nothing proves them: lines {_list_numbers(lines)} ({what})."


def _list_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def run_play(parsed: argparse.Namespace) -> int:
    """Play a match at this keyboard."""
    entry = game(parsed.slug)
    seats, people = _count_players(entry, parsed.seats, parsed.bots)
    sitting = terminal.sit_down(
        entry,
        seats=seats,
        people=people,
        level=parsed.level,
        seed=parsed.seed or secrets.token_hex(32),
        options=read_options(entry.rules.meta, parsed.options, seats),
        ask=input,
        say=print,
    )
    terminal.play_sitting(sitting)
    return FINE


def run_tutorial(parsed: argparse.Namespace) -> int:
    """Teach a game at this keyboard."""
    return FINE if teaching.teach(game(parsed.slug), parsed.language, input, print) else REFUSED


def run_puzzle(parsed: argparse.Namespace) -> int:
    """Pose a puzzle at this keyboard."""
    number = parsed.number or 1 + secrets.randbelow(1000)
    return FINE if posing.pose(game(parsed.slug), number, input, print) else REFUSED


def _count_players(entry: Game, seats: int | None, bot_count: int | None) -> tuple[int, int]:
    """Return the number of seats, and of people among them. Raises GameError."""
    meta = entry.rules.meta
    if seats is None:
        seats = min(max(meta.min_seats, 3, (bot_count or 0) + 1), meta.max_seats)
    if bot_count is None:
        bot_count = seats - 1
    if not meta.min_seats <= seats <= meta.max_seats or not 0 <= bot_count <= seats:
        raise GameError(
            "bad-seats",
            "{game} is for {least} to {most} players, of whom 0 to all may be bots.",
            game=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
        )
    return seats, seats - bot_count


def run_new(parsed: argparse.Namespace) -> int:
    """Write a package and say what to do with it."""
    files = write_package(parsed.name, Path(parsed.into))
    folder = Path(parsed.into) / parsed.name
    print(f"{len(files)} files are in {folder}. It can be played and tested as it stands:")
    print(f"  cd {folder} && pip install -e '.[testing]' && pytest && gemgames play {parsed.name}")
    print("What is left to do is marked TODO; README.md lists it.")
    return FINE


def run_bench(parsed: argparse.Namespace) -> int:
    """Print the figures."""
    slugs = [parsed.slug] if parsed.slug else list(GAMES)
    if parsed.ratings:
        _print_predictions(slugs, parsed.matches)
        return FINE
    print(
        f"{'game':<14} {'moves/s':>10} {'least':>10} {'most':>10} {'loop/s':>12} {'moves per 1000 loops':>22}"
    )
    for slug in slugs:
        speed = bench.measure_speed(slug, parsed.repeat)
        print(
            f"{slug:<14} {speed.median:>10,.0f} {speed.least:>10,.0f} {speed.most:>10,.0f}"
            f" {speed.calibration:>12,.0f} {speed.ratio:>22.2f}"
        )
    _print_asking(slugs, parsed.asking)
    return FINE


def _print_asking(slugs: list[str], matches: int) -> None:
    print(
        f"\nprompts that need a person, and how often the table waits, per match (mean of {matches} random matches)\n"
        f"{'game':<14} {'seats':>6} {'plies':>8} {'table':>15} {'with plans':>15} {'sealed':>15}"
    )
    for slug in slugs:
        found = asking.measure_asking(slug, matches)
        ways = [
            "-" if way is None else f"{way.prompts:.1f} / {way.waits:.1f}"
            for way in (found.table, found.plans, found.sealed)
        ]
        print(f"{slug:<14} {found.seats:>6} {found.plies:>8.1f} {ways[0]:>15} {ways[1]:>15} {ways[2]:>15}")


def _print_predictions(slugs: list[str], matches: int) -> None:
    print(
        "mean loss of a predicted pair; less is better\n"
        f"{'matches of':<26} {'seats':>6} {'pairs':>7} {'ours':>7} {'Elo':>7} {'equal':>7}"
    )
    rows = [
        (f"simulated, {world}", seats, prediction.measure_simulated(world, seats))
        for world in prediction.WORLDS
        for seats in (2, 4, 8)
    ]
    rows += [(f"bots, {slug}", *prediction.measure_bots(slug, matches)) for slug in slugs]
    for title, seats, found in rows:
        print(
            f"{title:<26} {seats:>6} {found.pairs:>7} {found.ours:>7.4f} {found.elo:>7.4f} {found.equal:>7.4f}"
        )
    print(
        "\nmatches until half the players are provisional no more, and pairs that stand in the wrong order then\n"
        f"{'simulated':<26} {'seats':>6} {'matches':>7} {'sigma':>7} {'wrong':>7}"
    )
    for world in prediction.WORLDS:
        for seats in (2, 3, 4, 5, 8):
            settled = prediction.find_settled(world, seats)
            print(f"{world:<26} {seats:>6} {settled.matches:>7} {settled.sigma:>7.2f} {settled.wrong:>7.3f}")


RUN: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "replay": run_replay,
    "verify": run_verify,
    "play": run_play,
    "tutorial": run_tutorial,
    "puzzle": run_puzzle,
    "bench": run_bench,
    "analyse": run_analyse,
    "archive": run_archive,
    "ratings": run_ratings,
    "new": run_new,
}


if __name__ == "__main__":
    sys.exit(main())
