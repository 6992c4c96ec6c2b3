"""`python -m tests.mailgate.draw_positions FOLDER`: draws positions by lot, with the turn mails that ask Ana there.

Somebody who has read neither the phrases nor the sets answers these mails, in files beside them in the format of
`phrasings/`. `python -m tests.mailgate.phrasing_scores --folder FOLDER --show` tells what is understood.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random

from games.deal import default_part, seed
from games.match import Match
from games.registry import game
from tests.mailgate.phrasing_scores import set_up

NAMES = ("onex", "twox", "threex", "fourx", "fivex", "sixx")
OTHERS = ("ben", "cy", "dora", "eve")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mailgate.draw_positions", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gem-positions-") as folder:
        set_up(Path(folder))
        from tests.mailgate import phrasing_sets

        phrasing_sets.FOLDER = given.folder
        for slug in phrasing_sets.GAMES:
            draws = Random(f"{given.seed} {slug}")
            text = "\n\n".join(draw(slug, name, draws) for name in NAMES)
            (given.folder / f"{slug}.positions.{phrasing_sets.BLIND}").write_text(
                f"{text}\n", encoding="utf-8"
            )
            write_mails(slug, given.folder)
    return 0


def draw(slug: str, name: str, draws: Random) -> str:
    """A position in which Ana is asked, in the middle of a match that quick bots have played so far."""
    meta = game(slug).rules.meta
    while True:
        players = ["ana", *draws.sample(OTHERS, draws.randint(meta.min_seats, min(meta.max_seats, 4)) - 1)]
        draws.shuffle(players)
        deal = draws.randrange(1, 10_000)
        server_part = f"{deal:064x}"
        parts = [default_part(server_part, seat) for seat in range(len(players))]
        match = Match.new(slug, players=players, seed=seed(server_part, parts))
        for _ in range(draws.randrange(60)):
            if not match.is_over and not match.play_forced():
                match.play_bot("easy")
        while match.play_forced():
            pass
        if not match.is_over and "ana" in {players[seat] for seat in match.waiting}:
            moves = [f"{players[line.seat]}: {line.text}" for line in match.lines if line.played_by != "auto"]
            return "\n".join([f"[{name}]", f"players: {' '.join(players)}", f"deal: {deal}", *moves])


def write_mails(slug: str, folder: Path) -> None:
    """Write the turn mail of each position, in each language."""
    from django.core import mail
    from django.db import transaction

    from tests.mailgate import phrasing_sets

    for name in phrasing_sets.read_positions(slug):
        for language in phrasing_sets.LANGUAGES:
            with transaction.atomic():
                asked = phrasing_sets.ask_ana(slug, name, language)
                path = folder / f"{slug}.{name}.{language}.mail.txt"
                path.write_text(f"Subject: {asked.mail.subject}\n\n{asked.mail.body}", encoding="utf-8")
                transaction.set_rollback(True)
            mail.outbox.clear()


if __name__ == "__main__":
    sys.exit(main())
