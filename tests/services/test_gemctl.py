"""`gemctl` as an operator runs it: one settings file, a backup, a server made again of it, on a real PostgreSQL."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.services.conftest import Services
from tests.services.daemons import find_postgres
from tests.services.processes import free_port, wait_for
from tests.services.site import ROOT

pytestmark = pytest.mark.slow

PLAY = """
from tests.builders import make_match, make_user, play_to_the_end, NOON
players = [make_user("ana"), make_user("ben")]
for slug in ("gem", "florentine"):
    play_to_the_end(make_match(slug, players=players))
make_match("jewellers", players=players)
"""
NEW_MATCH = """
from tests.builders import make_match, make_user
make_match("gem", players=[make_user("cara"), make_user("dan")])
"""
DOMAIN = "play.example.org"
HALT = """
CREATE SCHEMA halt;
CREATE FUNCTION halt.wait() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_lock(1); END';
CREATE EVENT TRIGGER halt ON ddl_command_end WHEN TAG IN ('CREATE INDEX') EXECUTE FUNCTION halt.wait();
"""
"""Keeps pg_restore, when all tables are filled, until a lock is free."""
WAITING_DUMPS = "SELECT FROM pg_stat_activity WHERE application_name = 'pg_dump' AND wait_event_type = 'Lock'"

WAITING_RESTORES = (
    "SELECT FROM pg_stat_activity WHERE application_name = 'pg_restore' AND wait_event_type = 'Lock'"
)


@dataclass
class Operator:
    """Somebody at the machine's shell, whose settings file `gemctl init` has written."""

    services: Services
    settings: Path
    more: Mapping[str, str]

    def gemctl(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        process = self.start(*arguments, **variables)
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def start(self, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        """Begin a command, in a process group of its own."""
        postgres = Path(find_postgres("postgres") or "").parent
        environment = {
            "PATH": f"{postgres}:/usr/bin:/bin",
            "HOME": str(self.services.folder),
            "GEM_SETTINGS": str(self.settings),
            **variables,
        }
        return subprocess.Popen(
            [ROOT / "deploy" / "gemctl", *arguments],
            env=environment,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def do(self, *arguments: str, **variables: str) -> str:
        done = self.gemctl(*arguments, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def fail(self, *arguments: str, **variables: str) -> str:
        done = self.gemctl(*arguments, **variables)
        assert done.returncode != 0, done.stdout
        return done.stdout + done.stderr

    def url(self, database: str) -> str:
        return self.services.postgres.url_of(database)

    def make_database(self, name: str) -> str:
        self.services.postgres.create(name)
        return self.url(name)

    def tables(self, database: str) -> int:
        with psycopg.connect(self.services.postgres.dsn(database)) as connection:
            found = connection.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            ).fetchone()
        assert found
        return int(found[0])


@pytest.fixture(scope="module")
def operator(services: Services) -> Operator:
    """A server as `gemctl init` has made it, on which three matches are played."""
    settings = services.folder / "gemserver.env"
    found = Operator(services, settings, {})
    found.do(
        *("init", "--yes", "--settings-only", "--domain", DOMAIN, "--operator", "olga@club.test"),
        *("--database", services.postgres.url, "--redis", services.redis.url),
        *("--send", f"smtp://127.0.0.1:{free_port()}", "--receive", "postfix"),
    )
    with settings.open("a") as file:
        file.write(f"STATIC_ROOT={services.folder / 'static'}\nBACKUP_DIR={services.folder / 'backups'}\n")
        file.write(f"PORT={free_port()}\nWAITING_PORT={free_port()}\nSMTP_PORT={free_port()}\n")
    assert "migrate the tables" in found.do("prepare")
    found.do("manage", "shell", "--verbosity", "0", "--command", PLAY, PYTHONPATH=str(ROOT))
    return found


@pytest.fixture(scope="module")
def backup(operator: Operator) -> Path:
    path = operator.services.folder / "first.gembackup"
    assert "matches: 3" in operator.do("backup", str(path))
    assert path.stat().st_mode & 0o077 == 0, "others could read hands and keys"
    return path


def test_the_settings_are_for_the_server_alone_and_are_not_written_twice(operator: Operator) -> None:
    assert operator.settings.stat().st_mode & 0o007 == 0
    before = operator.settings.read_text()
    assert "is there already" in operator.fail("init", "--yes", "--domain", DOMAIN, "--operator", "o@x.org")
    assert operator.settings.read_text() == before


def test_doctor_names_what_does_not_run_and_what_to_do(operator: Operator) -> None:
    said = operator.fail("doctor", "--no-dns")
    for words in (
        "ok   settings ",
        "ok   database       PostgreSQL",
        "ok   durability     PostgreSQL waits for the disk",
        "ok   migrations     all are applied",
        "ok   Redis ",
        "TODO workers        have never swept",
        "Start gem-web",
        "Start gem-waiting",
        "Start the relay",
        "Start gem-mail",
    ):
        assert words in said, said
    assert "0.0 s from PostgreSQL's" in said
    keys = [line.partition("=")[2] for line in operator.settings.read_text().splitlines() if "KEY=" in line]
    assert keys
    assert not any(key in said for key in keys)


def test_doctor_tells_a_database_that_is_away(operator: Operator) -> None:
    nowhere = operator.settings.with_name("nowhere.env")
    text = operator.settings.read_text().replace(operator.services.postgres.url, operator.url("nowhere"))
    nowhere.write_text(text)
    nowhere.chmod(0o600)
    said = operator.fail("doctor", "--no-dns", GEM_SETTINGS=str(nowhere))
    assert "TODO database" in said
    assert "correct DATABASE_URL" in said


def test_status_says_in_a_screen_how_the_server_is(operator: Operator) -> None:
    said = operator.do("status")
    assert "1 run, 0 tables are open, 2 are over" in said
    assert len(said.splitlines()) < 24
    assert '"matches"' in operator.do("status", "--json")


def test_a_backup_makes_the_server_again_with_every_match(operator: Operator, backup: Path) -> None:
    address = operator.make_database("restored")
    settings, pages = operator.settings.with_name("other.env"), operator.services.folder / "static"
    shutil.rmtree(pages)
    said = operator.do("restore", str(backup), "--database", address, GEM_SETTINGS=str(settings))
    assert (pages / "staticfiles.json").exists(), "without it every page is an error"
    assert "every match (3) follows from its moves" in said
    assert settings.read_text() == operator.settings.read_text(), "keys come with the backup"
    assert settings.stat().st_mode & 0o077 == 0
    switched = settings.read_text().replace(operator.services.postgres.url, address)
    settings.write_text(switched)
    assert "3 matches" in operator.do("manage", "verify_matches", GEM_SETTINGS=str(settings))
    assert "1 run" in operator.do("status", GEM_SETTINGS=str(settings))


def test_switch_writes_the_new_database_into_the_settings(operator: Operator, backup: Path) -> None:
    address = operator.make_database("switched")
    settings = operator.settings.with_name("switch.env")
    settings.write_text(operator.settings.read_text())
    settings.chmod(0o640)
    operator.do("restore", str(backup), "--database", address, "--switch", GEM_SETTINGS=str(settings))
    assert f"DATABASE_URL={address}\n" in settings.read_text()
    assert settings.stat().st_mode & 0o777 == 0o640


def test_nothing_is_ever_overwritten(operator: Operator, backup: Path) -> None:
    assert "overwrites nothing" in operator.fail("restore", str(backup))
    assert "3 matches" in operator.do("manage", "verify_matches")


def test_a_match_that_was_changed_is_named_and_nothing_is_kept(operator: Operator, backup: Path) -> None:
    """A whole file, of a database in which somebody has changed a move."""
    address = operator.make_database("meddled")
    settings = operator.settings.with_name("meddled.env")
    operator.do("restore", str(backup), "--database", address, GEM_SETTINGS=str(settings))
    settings.write_text(settings.read_text().replace(operator.services.postgres.url, address))
    with psycopg.connect(operator.services.postgres.dsn("meddled")) as connection:
        connection.execute(
            "UPDATE matches_move SET text = 'bid 99' WHERE ply = 1 AND match_id = "
            "(SELECT id FROM matches_match WHERE code = 'M2')"
        )
    meddled = operator.services.folder / "meddled.gembackup"
    operator.do("backup", str(meddled), GEM_SETTINGS=str(settings))
    empty = operator.make_database("empty")
    said = operator.fail("restore", str(meddled), "--database", empty)
    assert "The first bad match: M2 florentine, ply 1" in said
    assert operator.tables("empty") == 0
    assert "every match (3)" in operator.do("restore", str(backup), "--database", empty), (
        "it can be used again"
    )


def damage(operator: Operator, backup: Path) -> Path:
    """A copy of the backup in which one byte of the dump is another."""
    broken = operator.services.folder / "broken.gembackup"
    content = bytearray(backup.read_bytes())
    with zipfile.ZipFile(backup) as archive:
        about = archive.getinfo("database.dump")
    content[about.header_offset + about.file_size * 2 // 3] ^= 0xFF
    broken.write_bytes(content)
    return broken


def test_a_database_in_a_superusers_schema_is_empty_again_too(operator: Operator, backup: Path) -> None:
    """As before PostgreSQL 15, where the owner of a database may not drop its schema."""
    operator.make_database("older")
    with psycopg.connect(operator.services.postgres.dsn("older")) as connection:
        connection.execute("CREATE ROLE olga LOGIN")
        connection.execute("ALTER SCHEMA public OWNER TO CURRENT_USER")
        connection.execute("GRANT ALL ON SCHEMA public TO olga")
        connection.execute("ALTER DATABASE older OWNER TO olga")
    address = operator.services.postgres.url_of("older", "olga")
    said = operator.fail("restore", str(damage(operator, backup)), "--database", address)
    assert "Not what was written: database.dump" in said
    assert operator.tables("older") == 0


def test_a_database_that_is_away_is_told_in_a_sentence(operator: Operator, backup: Path) -> None:
    away = f"postgres://gem@127.0.0.1:{free_port()}/gem"
    settings = operator.settings.with_name("away.env")
    settings.write_text(operator.settings.read_text().replace(operator.services.postgres.url, away))
    for command in (["manage", "verify_matches"], ["restore", str(backup)]):
        said = operator.fail(*command, GEM_SETTINGS=str(settings))
        assert "The database does not answer: " in said
        assert "Traceback" not in said


def test_a_database_without_tables_is_told_in_a_sentence(operator: Operator) -> None:
    """As between `gemctl init --settings-only` and `gemctl prepare`."""
    settings = operator.settings.with_name("bare.env")
    address = operator.make_database("bare")
    settings.write_text(operator.settings.read_text().replace(operator.services.postgres.url, address))
    path = operator.services.folder / "bare.gembackup"
    said = operator.fail("backup", str(path), GEM_SETTINGS=str(settings))
    assert "The tables cannot be read" in said
    assert "gemctl prepare makes them" in said
    said += operator.fail("status", GEM_SETTINGS=str(settings))
    assert "Traceback" not in said
    assert not list(path.parent.glob("bare.gembackup*"))
    assert "Run gemctl prepare" in operator.fail("doctor", "--no-dns", GEM_SETTINGS=str(settings))


def test_help_names_the_command_that_was_typed(operator: Operator) -> None:
    assert "usage: gemctl status" in operator.do("status", "--help")
    assert "usage: gemctl backup" in operator.do("backup", "--help")
    assert "usage: gemctl manage verify_matches" in operator.do("manage", "verify_matches", "--help")
    assert "Type 'gemctl manage help <subcommand>'" in operator.do("manage", "--help")


def test_doctor_goes_on_after_a_bad_permission(operator: Operator) -> None:
    settings = operator.settings.with_name("open.env")
    settings.write_text(operator.settings.read_text())
    settings.chmod(0o644)
    said = operator.fail("doctor", "--no-dns", GEM_SETTINGS=str(settings))
    assert "open.env can be read by others" in said
    assert "ok   database       PostgreSQL" in said


def test_a_damaged_file_is_refused_and_nothing_is_kept(operator: Operator, backup: Path) -> None:
    broken = damage(operator, backup)
    said = operator.fail("restore", str(broken), "--database", operator.make_database("broken"))
    assert "Not what was written: database.dump" in said
    assert "The first bad match: " in said
    assert operator.tables("broken") == 0


@pytest.mark.usefixtures("backup")
def test_a_match_that_begins_during_a_backup_does_not_spoil_it(operator: Operator) -> None:
    """pg_dump reads as of its beginning; whatever is counted later differs, and a restore would refuse the file."""
    path = operator.services.folder / "meanwhile.gembackup"
    with operator.services.held("LOCK TABLE study_hint"):
        process = operator.start("backup", str(path))
        wait_for("pg_dump", lambda: bool(operator.services.postgres.rows(WAITING_DUMPS)), seconds=30)
        operator.do("manage", "shell", "--verbosity", "0", "--command", NEW_MATCH, PYTHONPATH=str(ROOT))
    said = process.communicate()[0]
    assert process.returncode == 0, said
    address = operator.make_database("meanwhile")
    assert "follows from its moves" in operator.do("restore", str(path), "--database", address)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_restore_that_is_interrupted_leaves_the_database_empty(
    operator: Operator, backup: Path, number: signal.Signals
) -> None:
    """So that it can be begun again."""
    name = f"interrupted_{number}"
    address = operator.make_database(name)
    with psycopg.connect(operator.services.postgres.dsn(name), autocommit=True) as connection:
        connection.execute(HALT)
        connection.execute("SELECT pg_advisory_lock(1)")
        process = operator.start("restore", str(backup), "--database", address)
        wait_for("pg_restore", lambda: bool(operator.services.postgres.rows(WAITING_RESTORES)), seconds=60)
        assert operator.tables(name) > 10
        assert "Another restore" in operator.fail("restore", str(backup), "--database", address)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as the terminal does
        else:
            process.send_signal(number)
    said = "".join(process.communicate())
    assert process.returncode != 0
    assert "Everything is restored" not in said
    assert operator.tables(name) == 0, said


def test_a_backup_that_is_interrupted_leaves_no_file(operator: Operator) -> None:
    """It would hold all hands, and fill the disk."""
    folder = operator.services.folder / "interrupted"
    folder.mkdir()
    with operator.services.held("LOCK TABLE study_hint"):
        process = operator.start("backup", "gem.gembackup", cwd=folder)
        wait_for("pg_dump", lambda: bool(operator.services.postgres.rows(WAITING_DUMPS)), seconds=30)
        assert [path.suffix for path in folder.iterdir()] == [".part"]
        process.terminate()
        process.communicate()
    assert process.returncode != 0
    assert not list(folder.iterdir())


def test_a_backup_that_somebody_has_named_stays(operator: Operator) -> None:
    folder = operator.services.folder / "backups"
    folder.mkdir(exist_ok=True)
    kept = folder / "before-the-move.gembackup"
    kept.touch()
    operator.do("backup", "--keep", "1")
    assert kept.exists()
    kept.unlink()
    assert "leave FILE out" in operator.fail("backup", str(kept), "--keep", "1")


def test_a_clock_that_was_put_back_does_not_cost_the_newest_backup(operator: Operator) -> None:
    folder = operator.services.folder / "backups"
    folder.mkdir(exist_ok=True)
    (folder / "gem-20990101-000000.gembackup").touch()
    written = Path(operator.do("backup", "--keep", "1").partition(": ")[0])
    assert list(folder.iterdir()) == [written]


def test_old_backups_go_when_so_many_are_kept(operator: Operator) -> None:
    folder = operator.services.folder / "backups"
    for _ in range(3):
        operator.do("backup", "--keep", "2")
        for number, path in enumerate(sorted(folder.glob("*.gembackup"))):
            path.rename(folder / f"gem-20260101-00000{number}.gembackup")
    assert len(list(folder.iterdir())) == 2


def test_a_backup_that_fails_leaves_no_file(operator: Operator) -> None:
    settings = operator.settings.with_name("gone.env")
    settings.write_text(operator.settings.read_text().replace("/gem\n", "/gone\n"))
    path = operator.services.folder / "gone.gembackup"
    operator.fail("backup", str(path), GEM_SETTINGS=str(settings))
    assert not list(operator.services.folder.glob("gone.gembackup*"))
