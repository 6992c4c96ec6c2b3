"""Commands that read records: `replay`, `verify`, `analyse`."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence

from games import analysis
from games.contract import Asked, Translator, seat_letter
from games.orders import list_choosers
from games.prose import wrap
from games.record import Record
from games.replay import Refusal, Replay, replay, summarise
from games.terminal.files import read_record_file
from games.terminal.language import read_translator, tell_refusal, write_tenths
from games.terminal.status import FINE, INCOMPLETE, REFUSED
from games.verify import NotVerified, Verified, list_given_parts, verify

MOST_LISTED_CHOICES = 10


def run_replay(parsed: Namespace) -> int:
    """Print where the record leads; a refused line goes to standard error and makes the status 1."""
    record = read_record_file(parsed.file, read_translator(parsed.language))
    played = replay(record)
    tr = read_translator(parsed.language, played.game)
    if parsed.json:
        print(json.dumps(summarise(played)))
    else:
        print(describe_position(played, _find_asked(record, played), tr))
    return FINE if played.refusal is None else _refuse_line(played.refusal, tr)


def _refuse_line(refusal: Refusal, tr: Translator) -> int:
    line = tr.gettext("line {number}: {refusal}")
    print(line.format(number=refusal.line, refusal=tell_refusal(refusal.error, tr)), file=sys.stderr)
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


def describe_position(played: Replay, asked: Asked | None, tr: Translator) -> str:
    """The board, the question, and the places if the match ended there."""
    rules, words = played.game.rules, played.game.words
    view = rules.view(played.state, None)
    paragraphs = [words.draw(view, tr, played.players, asked)]
    if asked is None:
        paragraphs.append(words.prompt(view, tr, played.players))
    ranks = played.ranks
    table = [
        f"{ranks[seat]:>3}.  {played.players[seat]:<24} {played.scores[seat]:>4}"
        for seat in sorted(range(len(ranks)), key=ranks.__getitem__)
    ]
    heading = tr.ngettext("After {number} ply:", "After {number} plies:", played.ply)
    return "\n\n".join([*paragraphs, "\n".join([heading.format(number=played.ply), *table])])


def run_verify(parsed: Namespace) -> int:
    """Print that everything fits, or the first thing that does not (status 1), or what is missing (status 3)."""
    tr = read_translator(parsed.language)
    record = read_record_file(parsed.file, tr)
    try:
        found = verify(record)
    except NotVerified as refusal:
        print(tell_refusal(refusal, tr), file=sys.stderr)
        return REFUSED
    print(wrap(_say_what_fits(record, found, tr)))
    print(wrap(_say_who_chose(record, tr)))
    for line in [*_list_missing(found, tr), *_list_taken_on_trust(found, tr)]:
        print(wrap(line))
    return FINE if found.is_complete else INCOMPLETE


def _say_what_fits(record: Record, found: Verified, tr: Translator) -> str:
    plies = tr.ngettext("{number} ply", "{number} plies", found.ply).format(number=found.ply)
    orders = len(record.sealed)
    if orders:
        sealed = tr.ngettext("{number} sealed order", "{number} sealed orders", orders)
        plies = f"{plies}, {sealed.format(number=orders)}"
    if found.is_complete:
        return tr.gettext("Everything fits: commitment, seed, deal, {plies}.").format(plies=plies)
    return tr.gettext("What could be checked fits: commitment, seed, deal, {plies}.").format(plies=plies)


def _say_who_chose(record: Record, tr: Translator) -> str:
    """Say who may have chosen the deal of a record that fits, by the parts that players gave."""
    given = [seat_letter(seat) for seat in list_given_parts(record)]
    if not given:
        return tr.gettext(
            "No player gave a part: the server alone chose this deal. "
            "You can only check that it was not changed afterwards."
        )
    return tr.gettext(
        "Parts given by players: {seats}. Who gave one after they had seen the server's promise (the commitment, or "
        "the fingerprint of its secret) knows that the server did not choose this deal; a record does not say when "
        "it was given."
    ).format(seats=", ".join(given))


def _list_missing(found: Verified, tr: Translator) -> Iterator[str]:
    """List the reasons for which a record is not complete."""
    if not found.ended:
        yield tr.gettext("The record stops before the match is over.")
    for gap in found.gaps:
        seat = f"{found.players[gap.seat]} ({seat_letter(gap.seat)})"
        if gap.lines:
            yield tr.gettext(
                "Lines without a sealed order in this record: {lines}, by {seat} in {contest}."
            ).format(lines=_list_numbers(gap.lines), seat=seat, contest=gap.context)
        if gap.versions:
            yield tr.gettext(
                "Not in this record, perhaps taken back or empty, as the clock's: the order of {seat} for {contest}, "
                "version {versions}."
            ).format(seat=seat, contest=gap.context, versions=_list_numbers(gap.versions))


def _list_taken_on_trust(found: Verified, tr: Translator) -> Iterator[str]:
    """List the lines that only the record itself vouches for."""
    for lines, sentence in (
        (
            found.by_moderator,
            tr.gettext("To be looked at by a person, nothing proves them: lines {lines} (by a moderator)."),
        ),
        (
            found.by_clock,
            tr.gettext(
                "To be looked at by a person, nothing proves them: lines {lines} (by the clock, as no sealed order "
                "had come)."
            ),
        ),
        (
            found.resignations,
            tr.gettext("To be looked at by a person, nothing proves them: lines {lines} (resignations)."),
        ),
    ):
        if lines:
            yield sentence.format(lines=_list_numbers(lines))


def _list_numbers(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def run_analyse(parsed: Namespace) -> int:
    """List choices of people with what they lost, and the mean of each player who had any."""
    tr = read_translator(parsed.language)
    record = read_record_file(parsed.file, tr)
    refusal = replay(record).refusal  # before minutes of thought about the lines above it
    if refusal is not None:
        return _refuse_line(refusal, tr)
    judged = list(analysis.analyse(record, max(1, parsed.simulations)))
    worst = sorted(judged, key=lambda each: -each.loss)[:MOST_LISTED_CHOICES]
    instead = tr.gettext("{move} instead")
    for each in judged if parsed.all else worst:
        better = f"  {instead.format(move=each.best)}" if each.loss > 0 else ""
        loss = write_tenths(each.loss, parsed.language)
        print(f"{each.ply:>4} {seat_letter(each.seat)}  -{loss:>4}  {each.played}{better}")
    if not judged:
        print(tr.gettext("No person chose a move in this record, so there is none to judge."))
        return FINE
    for seat, (choices, mean) in enumerate(analysis.summarise(judged, len(record.players))):
        said = tr.ngettext(
            "{name} ({seat}): {choices} choice, {loss} lost on average",
            "{name} ({seat}): {choices} choices, {loss} lost on average",
            choices,
        )
        if choices == 0:
            said = tr.gettext("{name} ({seat}): no move that a person chose")
        name, letter, loss = record.players[seat], seat_letter(seat), write_tenths(mean, parsed.language)
        print(said.format(name=name, seat=letter, choices=choices, loss=loss))
    return FINE
