"""Plays matches on real services, one with accidents, one by mail alone, and checks the mails that everybody got.

Then hours and days pass while one service or another is away (`tests.services.outages`).
"""

from __future__ import annotations

import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from tests.services import club, front, keepers, mail_server, senders, ways_in
from tests.services.daemons import Postgres, Redis, require_programs
from tests.services.days import days_of_sweeps
from tests.services.evidence import Evidence
from tests.services.log import say
from tests.services.outages import NO_DELAY, PASSWORD, live_through_outages
from tests.services.players import MailPlayer, Player, WebPlayer
from tests.services.processes import Failed, wait_for
from tests.services.sink import Letter, Sink
from tests.services.site import Site

TIME_LIMIT = 1800
"""Seconds after which something must hang. On two idle cores it takes five minutes, among others' work ten and more."""
TURN_LIMIT = 60
"""A mail that a killed worker had claimed is taken up again after CLAIM_SECONDS."""
BOT_MATCHES = 5
"""One of each game, by the example of a bot against itself."""
KILL_WORKER_AFTER = 4
RESTART_ALL_AFTER = 8
RESTART_REDIS_AFTER = 12
"""Moves of people after which the accidents happen."""


def main() -> None:
    require_programs(**mail_server.programs(), **front.programs())
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(TIME_LIMIT)
    evidence = Evidence()
    with ExitStack() as stack:
        # mkdtemp keeps others out, and the daemons run as another user.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-services-")))
        folder.chmod(0o755)
        try:
            run(folder, stack, evidence)
        except Exception as failure:
            evidence.show()
            if not isinstance(failure, Failed):
                raise
            sys.exit(f"\nFAILED: {failure}")
    say("everything is as it should be")


def run(folder: Path, stack: ExitStack, evidence: Evidence) -> None:
    """Run everything. Raises Failed."""
    postgres, redis, sink = Postgres(folder), Redis(folder), Sink()
    evidence.watched += [postgres.process, redis.process]
    evidence.postgres, evidence.redis = postgres, redis
    for service in (postgres, redis, sink):
        stack.callback(service.stop)
        service.start()
    say(f"PostgreSQL on {postgres.port}, Redis on {redis.port}, a mailbox for all on {sink.port}")

    days_of_sweeps(postgres, folder)

    site = Site(folder, postgres, redis, sink)
    evidence.watched += site.watched
    site.migrate()
    site.manage("collectstatic", "--noinput", "--verbosity", "0")
    site.manage("check", "--deploy", "--database", "default", "--fail-level", "WARNING")
    say("migrated; the checks for a deploy find nothing")
    stack.callback(site.stop)
    site.start()
    evidence.site = site

    chance = random.Random(7)
    web = WebPlayer("wendy", "A", sink, chance, site.browser())
    mail = MailPlayer("mallory", "B", sink, chance, site.smtp_port)
    code = site.python("-m", "tests.services.table", web.name, mail.name, PASSWORD).strip()
    say(f"{code}: {web.name} on the web, {mail.name} by mail, a bot")
    web.sign_in(PASSWORD)
    front.count_visitors(site, folder, web.name)
    # So that nothing is new to the program that waits.
    wait_for(
        "the bot's first move",
        lambda: not postgres.count("matches_seat", "is_waiting AND bot <> ''"),
        seconds=60,
        watched=site.watched,
    )
    keepers.wait_behind_nginx(site, folder, web.name)
    mail.be_turned_away()
    play(site, redis, web, mail)
    check_record(site, code, folder, [web, mail])
    check_mails(site, code, web, mail)
    check_record(site, club.play_by_mail(site, sink), folder, [])
    code, writers = ways_in.play_by_lmtp_and_imap(site, sink)
    check_record(site, code, folder, writers)
    if mail_server.programs():
        senders.try_to_be_somebody_else(site, postgres, sink)
    else:
        say("no Postfix: only root can start it")
    check_rows(postgres)
    live_through_outages(site, postgres, redis, sink)
    check_logs(site, sink)
    print(site.python("-m", "tests.faults.at_once", str(site.port), str(site.smtp_port)), end="")
    print(site.python("-m", "tests.services.bots", f"http://127.0.0.1:{site.port}", str(BOT_MATCHES)), end="")


def play(site: Site, redis: Redis, web: WebPlayer, mail: MailPlayer) -> None:
    """Answer every turn mail until both know that the match is over."""
    players: list[WebPlayer | MailPlayer] = [web, mail]
    worker_killed, all_restarted, redis_restarted = False, False, False

    def has_news() -> bool:
        return any(player.has_new_turn for player in players) or all(player.is_done for player in players)

    while True:
        wait_for(
            "a turn mail or the end", has_news, seconds=TURN_LIMIT, watched=[*site.watched, redis.process]
        )
        if all(player.is_done for player in players):
            break
        for player in players:
            for letter in player.new_turns():
                moves = web.moves + mail.moves
                if not redis_restarted and moves >= RESTART_REDIS_AFTER and player is web:
                    redis_restarted = True
                    answer_without_redis(redis, web, letter)
                    continue
                if not all_restarted and moves >= RESTART_ALL_AFTER and player is web:
                    all_restarted = True
                    answer_during_restart(site, web, letter)
                    continue
                player.answer(letter)
                if not worker_killed and moves >= KILL_WORKER_AFTER and player is mail:
                    # Right after the receiver took the mail: the worker that was reading it is gone.
                    worker_killed = True
                    site.kill_worker()
    if not (worker_killed and all_restarted and redis_restarted):
        raise Failed("the match was over before all accidents had happened")


def answer_during_restart(site: Site, player: WebPlayer, letter: Letter) -> None:
    """Every process is told to end and is restarted while the player moves; the move counts once."""
    restart = threading.Thread(target=site.restart)
    restart.start()
    player.answer(letter)
    restart.join()


def answer_without_redis(redis: Redis, player: WebPlayer, letter: Letter) -> None:
    """Redis goes down, the player moves and notices nothing, Redis comes back empty."""
    redis.stop()
    say("Redis was stopped, with whatever it held")
    started = time.monotonic()
    player.answer(letter)
    if time.monotonic() - started > NO_DELAY:
        raise Failed(f"without Redis a move took {time.monotonic() - started:.1f} s")
    redis.start()
    say("Redis runs again, empty")


def check_record(site: Site, code: str, folder: Path, players: list[Player]) -> None:
    """The match's record, as the site serves it, replays and verifies."""
    page = site.browser().get(f"/m/{code}/record.match")
    if page.status != 200:
        raise Failed(f"the record cannot be had: {page.status}")
    path = folder / f"{code}.match"
    path.write_text(page.text)
    site.python("-m", "games", "replay", str(path))
    site.python("-m", "games", "verify", str(path))
    result = re.search(r"^Result: (.+)$", page.text, re.MULTILINE)
    say(f"the record replays and verifies: {result[1] if result else 'no result'}")
    for player in players:
        if own_moves(page.text, player.seat) != player.moves:
            raise Failed(
                f"{player.name} made {player.moves} moves, the record has {own_moves(page.text, player.seat)}"
            )


def own_moves(record: str, seat: str) -> int:
    """The number of moves that this seat was asked for, without those that the server played by itself."""
    lines = re.findall(rf"^\d+ {seat} (.+)$", record, re.MULTILINE)
    return sum(" ; " not in line for line in lines)


def check_mails(site: Site, code: str, web: WebPlayer, mail: MailPlayer) -> None:
    """Exactly one mail for the start, each prompt, each mail sent and the end; equal Message-IDs count once."""
    expected = {
        web.address: Counter(starts=1, turns=web.moves, ends=1, answers=0),
        mail.address: Counter(starts=1, turns=mail.moves, ends=1, answers=mail.sent),
    }

    def arrived() -> dict[str, Counter[str]]:
        return {player.address: player.count_letters() for player in (web, mail)}

    try:
        wait_for("all mails", lambda: arrived() == expected, seconds=30)
    except Failed:
        raise Failed(f"expected the mails {expected}, got {arrived()}") from None
    others = {letter.to for letter in web.sink.letters} - set(expected)
    if others:
        raise Failed(f"mails went to {others}")
    doubles = len(web.sink.letters) - sum(len(player.letters()) for player in (web, mail))
    for address, counter in expected.items():
        say(
            f"{address}: {counter['starts']} start, {counter['turns']} turns, {counter['answers']} answers, "
            f"{counter['ends']} end"
        )
    say(f"mails that came twice, as they may: {doubles}")


def check_rows(postgres: Postgres) -> None:
    """Nothing is left to do, nothing has failed."""
    for what, table, condition in (
        ("mail that was not sent", "notify_outboxmessage", "state NOT IN ('sent', 'skipped')"),
        ("mail that was not read", "inbox_inboundemail", "state IN ('stored', 'unreadable')"),
        ("match that is not over", "matches_match", "status <> 'finished'"),
    ):
        if count := postgres.count(table, condition):
            raise Failed(f"{what}: {count}")
    say("no row is left to be worked on")


def check_logs(site: Site, sink: Sink) -> None:
    """No reply address stands in a log, so readers of logs cannot move for others. No worker waited for Redis."""
    addresses = {letter.reply_to for letter in sink.letters}
    tokens = {address.partition("+")[2].partition("@")[0] for address in addresses}
    for process in site.watched:
        text = process.log.read_text(errors="replace")
        if any(token in text for token in tokens if token):
            raise Failed(f"the log of {process.name} has a reply token")
        if "Couldn't ack" in text:
            raise Failed(f"{process.name} waited for Redis to take an acknowledgement")
    say("no log has a reply token, and no worker minds what Redis does not acknowledge")


def _give_up(number: int, frame: FrameType | None) -> None:
    raise Failed(f"not done after {TIME_LIMIT} seconds")


if __name__ == "__main__":
    main()
