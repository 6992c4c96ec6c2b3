"""The steps of the drill, in the order in which they happen, on two machines and three versions."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.operating.drill import newer_postgres
from tests.operating.drill.machine import Machine, leave_network, make_debian
from tests.operating.drill.manual import lines_after
from tests.operating.drill.people import DOMAIN, Dora, Playing, Table, Visitor
from tests.operating.drill.releases import Release, Versions
from tests.services.certificates import make_certificate
from tests.services.processes import Failed, wait_for
from tests.services.sink import Letter, Sink

ORIGIN = "/srv/origin.git"
CERTIFICATES = f"/etc/letsencrypt/live/{DOMAIN}"
ARCHIVE = "var/backups/postgresql"
"""Where the manual's lines keep base backups and the log."""
POSTFIX = f"postfix postfix/main_mailer_type select Internet Site\npostfix postfix/mailname string {DOMAIN}"
TABLES = 4
"""At which people play on during the upgrades."""
WHEELS = "/srv/wheels"
FETCH_WHEELS = f"""
cd {WHEELS}
for list in *.txt; do
    /srv/gemserver/.venv/bin/python -m pip download --quiet --require-hashes --requirement "$list"
done
printf '[global]\\nno-index = true\\nfind-links = {WHEELS}\\n' > /etc/pip.conf
"""
LET_POSTGRES_LISTEN = "sed -i 's/^port = .*/port = 5432/' /etc/postgresql/*/main/postgresql.conf\n"
"""Debian gives it another port where one is taken, and a root that is installed has the network of its host."""
FEW = 2
"""Moves of a bot in each of its matches; then it resigns."""
MOVES = 6
"""Of people, at a table, before the accident."""
READY_WITHIN = 60
SUPERUSER = "DJANGO_SUPERUSER_PASSWORD=correct-horse-battery-staple"


class Course:
    """One drill; `run` does everything, and the report says what, and how long it took."""

    def __init__(self, folder: Path, *, seed: int, matches: int) -> None:
        self._folder, self._seed, self._matches = folder, seed, matches
        self._sink = Sink()
        self._certificate = make_certificate(folder, "127.0.0.1")
        self._machines: list[Machine] = []
        self._report: list[str] = []

    def run(self) -> None:
        """Do every step. Raises Failed."""
        archive = newer_postgres.fetch(self._folder)
        versions = self._find_versions()
        old, newer, newest = versions.releases
        first = self._make_machine(versions, old)
        second = self._keep(first.copy("second"))
        leave_network()
        self._sink.start()
        self._set_up(first)
        dora = self._exchange_first_mails(first)
        self._play_matches(first)
        table = self._set_table(first, 1)
        waiting = dora.wait_for_turn()
        backup = self._back_up(first)
        moment, at_moment = self._play_around_a_moment(first, table)
        self._kill(first, table)
        self._restore(second, archive, backup, dora, waiting)
        self._go_back(second, table, moment, at_moment)
        self._upgrade(first, versions, newer, newest)

    def end(self) -> None:
        self._sink.stop()
        for machine in self._machines:
            machine.kill()

    @property
    def report(self) -> str:
        return "\n".join(self._report)

    def tell_troubles(self) -> str:
        return "\n".join([self.report, *(machine.tell_troubles() for machine in self._machines)])

    # Before there is a server

    def _find_versions(self) -> Versions:
        with self._step("the versions") as told:
            versions = Versions(self._folder / "versions")
            told += [f"{release.version} is {release.commit[:8]}" for release in versions.releases]
            if versions.made:
                told.append(
                    f"CHANGELOG.md has too few releases: made in a clone were {', '.join(versions.made)}"
                )
            told.append("no migration of a release was changed by a later one")
        return versions

    def _make_machine(self, versions: Versions, release: Release) -> Machine:
        bare = self._folder / "debian"
        if not bare.exists():
            with self._step("a bare Debian, by debootstrap"):
                make_debian(bare)
        machine = self._keep(Machine("bare", bare).copy("first"))
        origin = machine.root / ORIGIN.lstrip("/")
        subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", origin], check=True)
        versions.publish(release, origin)
        with self._step("packages of Debian, the code and its requirements") as told:
            machine.install(
                f"echo '{POSTFIX}' | debconf-set-selections\napt-get update\n"
                + lines_after("write your\nown name instead").replace("REPOSITORY", ORIGIN)
                + "git checkout --quiet --detach "
                + f"{release.tag}\n"
                + lines_after("**The code**")
                + LET_POSTGRES_LISTEN
            )
            told.append(f"version {release.version}")
        with self._step("packages that later versions need, as the machine will have no network"):
            wheels = machine.root / WHEELS.lstrip("/")
            wheels.mkdir()
            for later in versions.releases:
                (wheels / f"{later.version}.txt").write_text(versions.read(later, "requirements.txt") + "\n")
            machine.install(FETCH_WHEELS)
        return machine

    # The first machine

    def _set_up(self, machine: Machine) -> None:
        with self._step("systemd boots") as told:
            machine.boot()
            told.append(machine.run("cat /etc/debian_version").strip())
        with self._step("database, gemctl init, units, nginx, Postfix"):
            machine.run(lines_after("**Database.**"))
            machine.run(
                "cd /srv/gemserver\n"
                + lines_after("**Settings and tables.**")
                .replace("gemctl init", f"gemctl init --yes --domain {DOMAIN} --operator olga@players.test")
                .replace(
                    "gemctl manage createsuperuser",
                    f"{SUPERUSER} gemctl manage createsuperuser --no-input --username olga --email olga@players.test",
                )
                + "printf '%s\\n' API_RATE=1000000 AT_BOARD_SECONDS=0 >> /etc/gemserver.env"
            )
            self._start_processes(machine)
            self._put_front(machine)
        with self._step("gemctl doctor") as told:
            machine.run("gemctl backup")
            told += _list_todo(machine)
        with self._step("the archive of the log, and a base backup"):
            machine.run(lines_after("**To the last minute.**"))
            self._wait_until_ready()

    def _start_processes(self, machine: Machine) -> None:
        machine.run("cd /srv/gemserver\n" + lines_after("**The processes**"))

    def _put_front(self, machine: Machine) -> None:
        """nginx and Postfix; a certificate of our own, and all mail that leaves goes to the sink."""
        folder = machine.root / CERTIFICATES.lstrip("/")
        folder.mkdir(parents=True)
        for name in ("fullchain.pem", "privkey.pem"):
            shutil.copy(self._certificate, folder / name)
        # Let's Encrypt is not to be reached, and curl would ask it who has signed the certificate.
        machine.run(
            "cd /srv/gemserver\n" + lines_after("**nginx**, with a certificate", without=("certbot", "curl"))
        )
        machine.run("cd /srv/gemserver\n" + lines_after("**Postfix** hands"))
        machine.run(f"postconf -e relayhost=[127.0.0.1]:{self._sink.port}; systemctl reload postfix")
        self._wait_until_ready()

    def _exchange_first_mails(self, machine: Machine) -> Dora:
        with self._step("the first mails in and out") as told:
            dora = Dora(self._sink)
            dora.sign_up()
            dora.move(machine, dora.wait_for_turn())
            told.append(f"dora signed up, opened {dora.code} with a bot and moved, all by mail")
        return dora

    def _play_matches(self, machine: Machine) -> None:
        with self._step(f"{self._matches} matches of bots by the API, behind nginx, in few moves") as told:
            said = machine.run_as_server(
                *(
                    "env",
                    f"SSL_CERT_FILE={CERTIFICATES}/fullchain.pem",
                    "DJANGO_SETTINGS_MODULE=gemserver.settings",
                ),
                *(".venv/bin/python", "-m", "tests.services.bots", "https://127.0.0.1"),
                *(str(self._matches), str(self._seed), str(FEW)),
            )
            told.append(re.sub(r"^[\d. ]+s +", "", said.strip().splitlines()[-1]))

    def _set_table(self, machine: Machine, number: int) -> Table:
        return Table(machine, self._sink, self._certificate, number, self._seed)

    def _back_up(self, machine: Machine) -> Path:
        with self._step("gemctl backup") as told:
            said = machine.run("gemctl backup").strip()
            told.append(said)
            return machine.root / said.partition(":")[0].lstrip("/")

    def _play_around_a_moment(self, machine: Machine, table: Table) -> tuple[str, tuple[int, int]]:
        """Play, and note a moment between two moves, and how many moves each player had made by then."""
        with self._step("play goes on") as told:
            table.play(MOVES)
            table.require_kept(machine)
            moment, at_moment = (
                machine.select("SELECT clock_timestamp()"),
                (table.web.moves, table.mail.moves),
            )
            time.sleep(1)
            table.play(2)
            table.require_kept(machine)
            told.append(
                f"{sum(at_moment)} moves of people at {table.code} until {moment}, {table.moves} after it"
            )
            machine.select("SELECT pg_switch_wal()")
            wait_for("the log to be archived", lambda: _has_archived(machine), seconds=READY_WITHIN)
        return moment, at_moment

    def _kill(self, machine: Machine, table: Table) -> None:
        with self._step("SIGKILL for the whole machine, during play; it boots again") as told:
            playing = Playing([table])
            playing.start()
            before = table.moves
            wait_for("play", lambda: table.moves > before, seconds=READY_WITHIN)
            machine.kill()
            began = time.monotonic()
            machine.boot()
            self._wait_until_ready()
            told.append(f"the pages answer after {time.monotonic() - began:.1f} s")
            wait_for("play to go on", lambda: table.moves > before + 3, seconds=READY_WITHIN * 2)
            playing.stop()
            table.require_kept(machine)
            told.append(
                f"every move that was acknowledged is there, each once: {table.moves} at {table.code}"
            )
            told.append(machine.run("gemctl manage verify_matches").strip().splitlines()[-1])
            machine.shut_down()

    # Another machine

    def _restore(self, machine: Machine, package: Path, backup: Path, dora: Dora, waiting: Letter) -> None:
        """Restore on another machine, where a newer PostgreSQL runs."""
        newer_postgres.install(package, machine)
        machine.boot()
        with self._step("another machine with a newer PostgreSQL") as told:
            told.append(f"PostgreSQL {newer_postgres.start(machine)}")
            machine.run(lines_after("**Database.**"))
        with self._step("gemctl restore") as told:
            shutil.copy(backup, machine.root / "root")
            said = machine.run(f"gemctl restore /root/{backup.name}")
            told += [line for line in said.splitlines() if "matches" in line or "match (" in line]
        with self._step("play goes on there") as told:
            self._start_processes(machine)
            self._put_front(machine)
            told.append("the first page is shown")
            dora.move(machine, waiting)
            told.append(f"dora's answer to a mail of before the backup was played at {dora.code}")
            said = machine.run("gemctl backup 2>&1 || true")
            told.append(f"gemctl backup there, with the older client: {_last_line(said)}")
            newer_postgres.stop(machine)

    def _go_back(self, machine: Machine, table: Table, moment: str, at_moment: tuple[int, int]) -> None:
        """Go back to the moment on the other machine, with Debian's own PostgreSQL."""
        first = self._machines[0]
        with self._step("back to the moment between two moves, from base backup and log") as told:
            shutil.rmtree(machine.root / ARCHIVE, ignore_errors=True)
            subprocess.run(["cp", "-a", first.root / ARCHIVE, machine.root / ARCHIVE], check=True)
            machine.run("systemctl enable --quiet postgresql")
            said = machine.run(
                lines_after("To go back to a moment").replace("2026-11-25 12:00:00 UTC", moment)
            )
            told += [line for line in said.splitlines() if "match" in line or "audit" in line]
            found = table.count_kept(machine)
            told.append(
                f"{sum(found)} moves of people at {table.code}; the {table.moves - sum(found)} later ones are not"
            )
            if found != at_moment:
                raise Failed(
                    f"at the moment the players had made {at_moment} moves, and now {found} are there"
                )
        machine.shut_down()

    # Other versions

    def _upgrade(self, machine: Machine, versions: Versions, newer: Release, newest: Release) -> None:
        machine.boot()
        self._wait_until_ready()
        tables = [self._set_table(machine, number) for number in range(2, 2 + TABLES)]
        playing = Playing(tables)
        playing.start()
        for release in (newer, newest):
            with self._step(f"gemctl upgrade to {release.version}, with play going on") as told:
                versions.publish(release, machine.root / ORIGIN.lstrip("/"))
                self._change(machine, playing, f"gemctl upgrade {release.tag}", told)
                told.append(f"for operators: {release.for_operators}")
        with self._step(f"back to {newer.version}, with play going on") as told:
            self._change(machine, playing, f"gemctl upgrade {newer.tag}", told)
        with self._step("is all well?") as told:
            playing.stop()
            for table in tables:
                table.require_kept(machine)
            told.append(
                f"{sum(table.moves for table in tables)} moves of people at {TABLES} tables, each kept once"
            )
            told.append(machine.run("gemctl manage verify_matches").strip().splitlines()[-1])
            told.append(_last_line(machine.run("gemctl manage verify_audit")))
            told += _list_todo(machine)

    def _change(self, machine: Machine, playing: Playing, command: str, told: list[str]) -> None:
        before, _ = playing.moves, playing.take_longest()
        said = machine.run(f"cd /srv/gemserver; {command}")
        told.append(_last_line(said))
        if playing.moves == before:
            raise Failed(f"nobody has moved during {command}, so that it says nothing about play")
        told.append(
            f"{playing.moves - before} moves of people meanwhile, the slowest acknowledged after "
            f"{playing.take_longest():.1f} s"
        )

    # What all steps need

    def _keep(self, machine: Machine) -> Machine:
        self._machines.append(machine)
        return machine

    def _wait_until_ready(self) -> None:
        visitor = Visitor(self._certificate)
        wait_for("/readyz", lambda: visitor.get("/readyz").status == 200, seconds=READY_WITHIN)
        if (page := visitor.get("/")).status != 200:
            raise Failed(f"the first page answers {page.status}")

    @contextmanager
    def _step(self, name: str) -> Iterator[list[str]]:
        """Time a step; what the caller puts into the list is reported below its name."""
        print(f"\n--- {name} ---", flush=True)
        began, told = time.monotonic(), list[str]()
        yield told
        self._report.append(f"{time.monotonic() - began:6.1f} s  {name}")
        self._report += [f"          {line}" for line in told]
        print("\n".join(self._report[-1 - len(told) :]), flush=True)


def _has_archived(machine: Machine) -> bool:
    """True if no segment waits to be handed over."""
    waiting = machine.run("find /var/lib/postgresql/15/main/pg_wal/archive_status -name '*.ready'")
    return not waiting.strip()


def _list_todo(machine: Machine) -> list[str]:
    """The lines of `gemctl doctor` about what is to be done."""
    said = machine.run("gemctl doctor --no-dns 2>&1 || true")
    good = sum(line.startswith("ok ") for line in said.splitlines())
    return [f"ok: {good}", *(line for line in said.splitlines() if line.startswith("TODO"))]


def _last_line(said: str) -> str:
    return said.strip().splitlines()[-1]
