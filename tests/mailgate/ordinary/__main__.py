"""`python -m tests.mailgate.ordinary FOLDER…`: reads all sentences in the folders against every kind of prompt.

Prints how many there are and every one in which a move was found; the status is 1 if there is any. `SOURCES.md` says
which folders.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from tests.mailgate.ordinary.gather import gather, is_kept, shuffled
from tests.mailgate.phrasing_scores import set_up

TOGETHER = 200
"""Sentences that are tried at all prompts before the next ones."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mailgate.ordinary", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, help="sentences of each folder (default: all)")
    parser.add_argument("--planting", type=int, default=1, help="how often each is tried with a move inside")
    parser.add_argument("--in-turn", action="store_true", help="plant each at one of the prompts, not at all")
    parser.add_argument(
        "--part", default="1/1", help="such as 2/2: only every second sentence, from the second on"
    )
    parser.add_argument("--prompts", default="", help="such as gem, or gem.bid (default: all)")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    sentences = _read(given.folders, given.most)[part - 1 :: parts]
    print(f"{len(sentences)} sentences: {dict(Counter(language for language, _ in sentences))}", flush=True)
    with tempfile.TemporaryDirectory(prefix="gem-ordinary-") as folder:
        set_up(Path(folder))
        return 1 if _try(sentences, given) else 0


def _read(folders: list[Path], most: int | None) -> list[tuple[str, str]]:
    """As many sentences of each folder, each once, in an order of their own."""
    languages: dict[str, str] = {}
    for folder in folders:
        found = {text: language for language, text in gather(folder) if is_kept(text)}
        languages |= {text: found[text] for text in islice(shuffled({*found}), most)}
        print(f"{len(found):7} in {folder}", flush=True)
    return [(languages[text], text) for text in shuffled({*languages})]


def _try(sentences: list[tuple[str, str]], given: argparse.Namespace) -> int:
    from django.db import transaction

    from tests.mailgate.ordinary.trying import has_effect, open_prompt, prompt_names, try_sentences

    commands = [text for _, text in sentences if has_effect(text)]
    print(f"{len(commands)} commands with an effect", *commands, sep="\n    ", flush=True)
    found: dict[str, list[str]] = {}
    began = time.perf_counter()
    prompts = []
    for game, position in prompt_names():
        if given.prompts in ("", game, f"{game}.{position}"):
            with transaction.atomic():
                prompts.append(open_prompt(game, position))
                transaction.set_rollback(True)
    # Some sentences at all prompts, then the next: what does not depend on the prompt is worked out once.
    for first in range(0, len(sentences), TOGETHER):
        for place, prompt in enumerate(prompts):
            some = sentences[first : first + TOGETHER]
            every, start = (len(prompts), first + place) if given.in_turn else (1, first)
            for each in try_sentences(prompt, some, given.planting, start, every):
                found.setdefault(str(prompt), []).append(each)
                print("   ", each, flush=True)
    for prompt in prompts:
        print(f"{prompt!s:22} {len(found.get(str(prompt), ())):5} moves", flush=True)
    print(f"{time.perf_counter() - began:.0f} s")
    return len(commands) + sum(map(len, found.values()))


if __name__ == "__main__":
    sys.exit(main())
