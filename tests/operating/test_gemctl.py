"""`gemctl`: a settings file that systemd, a shell and Django read alike, and a version that is changed or put back."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gemserver.gemctl import __main__ as gemctl
from gemserver.gemctl import doctor, installed, prepare, upgrade
from gemserver.gemctl.prepare import plain_address, split_password
from gemserver.gemctl.restore import switched
from gemserver.gemctl.settings_file import WrongSettings, change_setting, read_settings, write_settings
from gemserver.lib.named_files import CALLED_FROM, named_file
from tests.services.processes import wait_for
from tests.services.site import ROOT

SITE = ("--domain", "play.example.org", "--operator", "olga@example.org")


def init(path: Path, *arguments: str) -> int:
    try:
        return gemctl.main(["--settings", str(path), "init", "--yes", "--settings-only", *SITE, *arguments])
    except SystemExit as end:
        return int(str(end.code))


# The settings file


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "",
        "with blanks",
        "a#b",
        "p$ss&w;rd",
        'say "so"',
        "50%",
        "postgres:///gem?options=-c%20x",
        "~root",
        "x:~root",
        "a;b",
        "`id`",
        "a\\b",
        "grün",
    ],
)
def test_a_value_means_the_same_to_gemctl_and_a_shell(tmp_path: Path, value: str) -> None:
    path = tmp_path / "env"
    write_settings(path, [("Remark.", {"VALUE": value})])
    assert read_settings(path) == {"VALUE": value}
    shell = subprocess.run(
        ["sh", "-c", f"set -a; . {path}; printenv VALUE"], capture_output=True, text=True, check=True
    )
    assert shell.stdout == f"{value}\n"


def test_the_file_is_for_its_owner_alone_and_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "env"
    assert init(path) == 0
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_text()
    assert init(path) == 1
    assert path.read_text() == before


def test_secrets_are_strong_and_differ(tmp_path: Path) -> None:
    assert init(tmp_path / "one") == init(tmp_path / "two") == 0
    names = ("SECRET_KEY", "MAIL_KEY", "AUDIT_KEY", "METRICS_TOKEN")
    keys = {read_settings(tmp_path / file)[name] for file in ("one", "two") for name in names}
    assert len(keys) == 8
    assert min(map(len, keys)) >= 50


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--send", "smtp://localhost"], {"EMAIL_HOST": "localhost", "EMAIL_PORT": "25"}),
        (
            ["--send", "smtp://us%40er:pa%2Fss@relay.example.org"],
            {
                "EMAIL_PORT": "587",
                "EMAIL_USE_TLS": "yes",
                "EMAIL_HOST_USER": "us@er",
                "EMAIL_HOST_PASSWORD": "pa/ss",
            },
        ),
        (["--send", "smtps://relay.example.org"], {"EMAIL_PORT": "465", "EMAIL_USE_SSL": "yes"}),
        (["--receive", "direct"], {"SMTP_PORT": "25", "SMTP_PROVES_SENDERS": "yes"}),
        (["--receive", "postfix"], {"MAIL_AUTHSERV_ID": "play.example.org"}),
        (["--receive", "mailgun"], {"MAIL_WEBHOOKS": "mailgun"}),
        (
            ["--receive", "imap://gem%40example.net:secret@imap.example.net"],
            {"PLAY_REPLY": "gem+{token}@example.net", "IMAP_PORT": "993", "MAIL_DOMAIN": "example.net"},
        ),
    ],
)
def test_ways_of_mail_become_settings(tmp_path: Path, arguments: list[str], expected: dict[str, str]) -> None:
    assert init(tmp_path / "env", *arguments) == 0
    settings = read_settings(tmp_path / "env")
    assert {name: settings[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        (["--domain", "https://play.example.org/"], "Write the name of the site alone"),
        (["--operator", "olga"], "Write an address"),
        (["--database", "mysql://x/y"], "postgres:///gem"),
        (["--redis", "localhost"], "redis://127.0.0.1:6379/0"),
        (["--send", "localhost"], "smtp://localhost"),
        (["--receive", "pigeon"], "postfix, direct"),
        (["--receive", "imap://gem@imap.example.net"], "imap://user:password@host"),
        (["--send", "smtp://u:it's@relay.example.org"], "single quote"),
        (["--send", "smtp://u:pa/ss@relay.example.org"], "write %2F for /"),
        (["--send", "smtp://relay.example.org:99999"], "A port is a number"),
        (["--database", "postgres://u:pa/ss@db/gem"], "write %2F for /"),
        (["--database", "postgres://u:pa#ss@db/gem"], "%23 for #"),
        (["--database", "postgres://[db/gem"], "A port is a number"),
        (["--redis", "redis://db:first/0"], "A port is a number"),
        (["--receive", "imap://gem%40example.net:secret@imap.example.net:x"], "A port is a number"),
    ],
)
def test_an_answer_that_cannot_be_says_what_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], advice: str
) -> None:
    assert init(tmp_path / "env", *arguments) != 0
    assert advice in capsys.readouterr().err
    assert not (tmp_path / "env").exists()


def test_the_code_is_the_servers_own_wherever_gemctl_is_called(tmp_path: Path) -> None:
    """Else root would run what anybody has left in /tmp, and upgrade the checkout in which somebody stands."""
    folder = tmp_path / "eine ä folder"
    (folder / "gemserver").mkdir(parents=True)
    (folder / "gemserver/__init__.py").touch()
    (folder / "argparse.py").write_text("raise SystemExit('not ours')")
    done = subprocess.run(
        [ROOT / "deploy/gemctl", "--settings", "my env", "init", "--yes", "--settings-only", *SITE],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "my env").exists()


def test_commands_find_what_was_named_beside_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run in the folder of the code, where a relative path would be another file."""
    monkeypatch.chdir(tmp_path)
    assert init(Path("env")) == 0
    variables = installed.Server(installed.find_settings("env")).environment()
    assert variables["GEM_SETTINGS"] == str(tmp_path / "env")
    monkeypatch.setenv(CALLED_FROM, variables[CALLED_FROM])
    monkeypatch.chdir("/")
    assert named_file("match.txt") == tmp_path / "match.txt"
    assert named_file("/srv/match.txt") == Path("/srv/match.txt")


def test_what_is_asked_can_be_answered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["what?", "Play.Example.org", "olga@example.org", "", "", "", ""])
    monkeypatch.setattr("builtins.input", lambda _ask: next(answers))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert gemctl.main(["--settings", str(tmp_path / "env"), "init", "--settings-only"]) == 0
    settings = read_settings(tmp_path / "env")
    assert settings["SITE_URL"] == "https://play.example.org"
    assert settings["DATABASE_URL"] == "postgres:///gem"


def test_whoever_leaves_before_all_is_asked_has_written_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(_ask: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", leave)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert gemctl.main(["--settings", str(tmp_path / "env"), "init", "--settings-only"]) == 2
    assert not (tmp_path / "env").exists()


def test_settings_without_a_database_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """manage.py would take the embedded server's data, and back them up as if they were all."""
    path = tmp_path / "env"
    path.write_text("DATABASEURL=postgres:///gem\n")
    assert gemctl.main(["--settings", str(path), "backup"]) == 1
    assert "has no DATABASE_URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        "export A=1",
        "a=1",
        "NAME",
        "NAME=two words",
        "NAME= blank",
        "NAME='open",
        'NAME="$HOME"',
        "NAME='a'$HOME",
        "NAME=`id`",
        'NAME="`id`"',
        "NAME=a;id",
        "NAME=a&b",
        "NAME=(a)",
        "NAME=a\\b",
        "NAME=~root",
        "NAME=a:~root",
        "NAME=a\x0cB=1",
        "NAME=windows\r",
    ],
)
def test_a_line_that_means_different_things_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "env"
    path.write_text(f"# Remark.\n\nGOOD=1\n{line}\n")
    with pytest.raises(WrongSettings) as refused:
        read_settings(path)
    assert "line 4" in str(refused.value)


@pytest.mark.parametrize("line", ["NAME=p#s%s!w*d^?", 'NAME="p#s%s!w*d^?"', " NAME='p#s%s!w*d^?' "])
def test_marks_in_a_password_that_mean_nothing_to_a_shell_are_taken(tmp_path: Path, line: str) -> None:
    path = tmp_path / "env"
    path.write_text(f"{line}\n")
    assert read_settings(path) == {"NAME": "p#s%s!w*d^?"}


def test_a_file_with_line_ends_of_windows_says_how_to_mend_it(tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_bytes(b"# Remark.\r\nA=1\r\nB=2\r\n")
    with pytest.raises(WrongSettings) as refused:
        read_settings(path)
    command = str(refused.value).partition("sed ")[2].partition(" takes")[0]
    subprocess.run(f"sed {command}", shell=True, check=True)
    assert read_settings(path) == {"A": "1", "B": "2"}


def test_a_file_in_another_encoding_is_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_bytes("NAME=grün\n".encode("latin-1"))
    with pytest.raises(WrongSettings, match="UTF-8"):
        read_settings(path)


def test_a_setting_is_changed_behind_a_link(tmp_path: Path) -> None:
    """As where the file is kept in another folder and linked to /etc."""
    kept, link = tmp_path / "kept", tmp_path / "env"
    kept.write_text("A=1\n")
    link.symlink_to(kept)
    change_setting(link, "A", "2")
    assert link.is_symlink()
    assert kept.read_text() == "A=2\n"
    assert sorted(tmp_path.iterdir()) == [link, kept]


def test_a_file_that_could_not_be_written_whole_is_not_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk: `init` would say that it is there already, with half of the keys."""

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    assert init(tmp_path / "env") == 1
    assert not list(tmp_path.iterdir())


def test_one_setting_is_changed_where_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "env"
    path.write_text("# Remark.\nA=1\nB=2\n")
    path.chmod(0o640)
    change_setting(path, "A", "of two words")
    change_setting(path, "C", "3")
    assert path.read_text() == "# Remark.\nA='of two words'\nB=2\nC=3\n"
    assert path.stat().st_mode & 0o777 == 0o640


def test_programs_of_postgresql_get_no_options_of_the_server() -> None:
    url = "postgres://gem@db/gem?sslmode=require&prepare_threshold=none&server_side_cursors=no"
    assert plain_address(url) == "postgres://gem@db/gem?sslmode=require"
    assert plain_address("postgres:///gem") == "postgres:///gem"


@pytest.mark.parametrize(
    ("url", "expected", "password"),
    [
        ("postgres:///gem", "postgres:///gem", None),
        ("postgres://gem@db:5432/gem?sslmode=require", "postgres://gem@db:5432/gem?sslmode=require", None),
        ("postgres://gem:p%40s%25s@db/gem", "postgres://gem@db/gem", "p@s%s"),
        (
            "postgres://gem@db/gem?password=s%26t&sslmode=require",
            "postgres://gem@db/gem?sslmode=require",
            "s&t",
        ),
    ],
)
def test_no_password_stands_on_a_command_line(url: str, expected: str, password: str | None) -> None:
    """Everybody on the machine can read the list of processes."""
    assert split_password(url) == (expected, {} if password is None else {"PGPASSWORD": password})


def test_a_switch_leads_the_server_and_the_owner_to_the_new_database() -> None:
    """Else the server would go on with the former one, while the owner migrates the new one."""
    assert switched({"DATABASE_URL": "postgres:///gem"}, "postgres:///new") == {
        "DATABASE_URL": "postgres:///new"
    }
    own = "postgres://gem:g@pooler:6432/gem?prepare_threshold=none"
    settings = {"DATABASE_URL": own, "OWNER_DATABASE_URL": "postgres://gem_owner:o@db:5432/gem"}
    assert switched(settings, "postgres://gem_owner:o@db:5432/new") == {
        "OWNER_DATABASE_URL": "postgres://gem_owner:o@db:5432/new",
        "DATABASE_URL": "postgres://gem:g@pooler:6432/new?prepare_threshold=none",
    }
    assert switched(settings, "postgres://gem_owner:o@other/gem")["DATABASE_URL"] == (
        "postgres://gem:g@other/gem?prepare_threshold=none"
    )


def test_the_disk_of_the_backups_is_looked_at_wherever_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "env"
    path.write_text(f"DATABASE_URL=postgres:///gem\nBACKUP_DIR={tmp_path}/other/backups\n")
    asked: list[Path] = []
    usage = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda disk: asked.append(disk) or usage("/"))
    monkeypatch.setattr(doctor, "_disk_of", lambda disk: str(disk))
    list(doctor._look_at_disks(installed.Server(path)))
    assert tmp_path in asked


# Another version


ALONE = """
import signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # both are ignored behind `nohup … &`, where tests may run
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from gemserver.gemctl import __main__ as gemctl, installed, upgrade
server = installed.Server
gemctl.Server = lambda path: server(path, root=Path(sys.argv[1]))
upgrade.is_ready = lambda _server: True
installed.listen_for_ends()
sys.exit(gemctl.main(sys.argv[2:]))
"""
SLOW_TO_END = """
import time
if sys.argv[1] == 'migrate':
    def end(*_):
        time.sleep(1)
        sys.exit('rolled back')
    import signal
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    NOTE('waits\\n')
    time.sleep(60)
"""


class Site:
    """A checkout with two tagged versions, whose commands leave a line each instead of working."""

    def __init__(self, folder: Path) -> None:
        self.origin, self.root = folder / "origin", folder / "server"
        self.settings, self.log = folder / "env", folder / "log"
        self.write_settings(f"sh restart {self.log}")
        (self.origin / "requirements").mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch", "main", at=self.origin)
        for version in ("v1.0.0", "v1.1.0", "v1.10.0"):
            self.commit(version)
        self.git("clone", "--quiet", str(self.origin), str(self.root), at=folder)
        self.git("checkout", "--quiet", "v1.0.0", at=self.root)

    def write_settings(self, restart: str) -> None:
        self.settings.write_text(
            f"DATABASE_URL=postgres:///gem\nALLOWED_HOSTS=play.example.org\nRESTART_COMMAND='{restart}'\n"
        )

    def commit(self, version: str, manage: str = "") -> None:
        note = f"open({str(self.log)!r}, 'a').write"
        (self.origin / "manage.py").write_text(
            f"import sys\n{note}('{version} ' + ' '.join(sys.argv[1:]) + '\\n')\n{manage}"
        )
        (self.origin / "requirements/install.py").write_text(f"{note}('{version} install\\n')\n")
        (self.origin / "restart").write_text(f"echo {version} restart >> $1\n")
        self.git("add", "--all", at=self.origin)
        self.git("commit", "--quiet", "--message", version, at=self.origin)
        self.git("tag", version, at=self.origin)

    def git(self, *arguments: str, at: Path) -> str:
        who = ("-c", "user.name=Olga", "-c", "user.email=olga@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *who, *arguments], cwd=at, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def upgrade(self, *arguments: str) -> int:
        self.log.write_text("")
        return gemctl.main(["--settings", str(self.settings), "upgrade", *arguments])

    def start(self, *arguments: str, terminal: int | None = None) -> subprocess.Popen[str]:
        """Begin an upgrade as a process of its own, to which signals can be sent."""
        self.log.write_text("")
        return subprocess.Popen(
            [
                sys.executable,
                "-c",
                ALONE,
                str(self.root),
                "--settings",
                str(self.settings),
                "upgrade",
                *arguments,
            ],
            cwd=ROOT,
            stdout=terminal or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    @property
    def version(self) -> str:
        return self.git("describe", "--tags", at=self.root)

    @property
    def done(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    found = Site(tmp_path)
    server = installed.Server
    monkeypatch.setattr(gemctl, "Server", lambda path: server(path, root=found.root))
    monkeypatch.setattr(upgrade, "is_ready", lambda _server: True)
    monkeypatch.setattr(upgrade, "READY_WITHIN", 0)
    return found


def test_the_newest_version_is_taken_in_the_right_order(site: Site) -> None:
    assert site.upgrade() == 0
    assert site.version == "v1.10.0"
    assert site.done == [
        "v1.0.0 backup",
        "v1.10.0 install",
        "v1.10.0 check --deploy --database default",
        "v1.10.0 migrate --no-input",
        "v1.10.0 verify_matches --running",
        "v1.10.0 collectstatic --no-input --verbosity 0",
        "v1.10.0 restart",
    ]


def test_new_code_can_be_read_by_the_servers_user(site: Site) -> None:
    """gemctl itself keeps others out of what it writes, and git and pip would inherit that."""
    former = os.umask(0o027)
    try:
        assert site.upgrade() == 0
    finally:
        os.umask(former)
    assert (site.root / "manage.py").stat().st_mode & 0o777 == 0o644


@pytest.mark.slow
def test_code_is_compiled_where_the_server_may_not(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root does: the server's user could not keep what it compiles, and would do it at every start."""
    for name in ("games", "gemserver"):
        (site.root / name).mkdir()
        (site.root / name / "module.py").write_text("VALUE = 1\n")
    assert site.upgrade("v1.1.0") == 0
    assert not list(site.root.rglob("*.pyc"))
    monkeypatch.setattr(prepare, "become", lambda _who: ["setpriv"])
    assert site.upgrade("v1.0.0") == 0
    assert len(list(site.root.rglob("*.pyc"))) == 2


def test_a_former_version_is_taken_without_migrating(site: Site) -> None:
    assert site.upgrade("v1.1.0") == site.upgrade("v1.0.0") == 0
    assert site.version == "v1.0.0"
    assert not [line for line in site.done if "migrate" in line]


@pytest.mark.slow
@pytest.mark.parametrize("step", ["check", "migrate", "verify_matches", "collectstatic"])
def test_a_version_that_fails_is_put_back_before_anything_runs_it(
    site: Site, capsys: pytest.CaptureFixture[str], step: str
) -> None:
    site.commit("v2.0.0", f"sys.exit(sys.argv[1] == '{step}')")
    assert site.upgrade() == 1
    assert site.version == "v1.0.0"
    assert not [line for line in site.done if "restart" in line]
    assert site.done[-2:] == ["v1.0.0 install", "v1.0.0 collectstatic --no-input --verbosity 0"]
    assert "v1.0.0 runs on" in capsys.readouterr().err


def test_pages_that_do_not_answer_bring_the_former_version_back(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        upgrade, "is_ready", lambda server: not site.done or site.done[-1] == "v1.0.0 restart"
    )
    assert site.upgrade("v1.1.0") == 1
    assert site.version == "v1.0.0"
    assert [line for line in site.done if "restart" in line] == ["v1.1.0 restart", "v1.0.0 restart"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_upgrade_that_is_interrupted_ends_its_step_and_puts_the_former_version_back(
    site: Site, number: signal.Signals
) -> None:
    """By Ctrl-C, by a signal, or because the connection to the machine is gone."""
    site.commit("v2.0.0", SLOW_TO_END.replace("NOTE", f"open({str(site.log)!r}, 'a').write"))
    process = site.start()
    wait_for("the migration", lambda: "waits" in site.done, seconds=30)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as the terminal does
    else:
        process.send_signal(number)
    said = process.communicate()[0]
    assert process.returncode == 1, said
    assert "rolled back" in said, "the step was killed"
    assert "Interrupted" in said
    assert site.version == "v1.0.0"
    assert site.done[-2:] == ["v1.0.0 install", "v1.0.0 collectstatic --no-input --verbosity 0"]


@pytest.mark.slow
def test_an_upgrade_whose_terminal_is_gone_puts_the_former_version_back(site: Site) -> None:
    """Nothing can be said to anybody any more, and that must not end it between two versions."""
    site.commit("v2.0.0", SLOW_TO_END.replace("NOTE", f"open({str(site.log)!r}, 'a').write"))
    screen, terminal = pty.openpty()
    process = site.start(terminal=terminal)
    os.close(terminal)
    wait_for("the migration", lambda: "waits" in site.done, seconds=30)
    os.close(screen)
    process.send_signal(signal.SIGHUP)
    assert process.wait() == 1
    assert site.version == "v1.0.0"
    assert site.done[-2:] == ["v1.0.0 install", "v1.0.0 collectstatic --no-input --verbosity 0"]


def test_without_a_backup_nothing_begins(site: Site) -> None:
    (site.root / "manage.py").write_text("import sys; sys.exit(1)\n")
    site.git("commit", "--quiet", "--all", "--message", "Cannot back up", at=site.root)
    before = site.git("rev-parse", "HEAD", at=site.root)
    assert site.upgrade() == 1
    assert site.git("rev-parse", "HEAD", at=site.root) == before
    assert site.done == []


@pytest.mark.parametrize("restart", ["/no/such/program", 'sh "restart'])
def test_a_restart_that_cannot_be_run_brings_the_former_version_back(site: Site, restart: str) -> None:
    site.write_settings(restart)
    assert site.upgrade("v1.1.0") == 1
    assert site.version == "v1.0.0"


def test_what_comes_before_a_release_is_taken_only_by_name(site: Site) -> None:
    for tag in ("v1.10.0-rc1", "v2.0.0-rc1", "vacation"):
        site.commit(tag)
    assert site.upgrade() == 0
    assert site.version == "v1.10.0"
    assert site.upgrade("v2.0.0-rc1") == 0
    assert site.version == "v2.0.0-rc1"


def test_two_upgrades_do_not_run_at_once(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    handle = os.open(site.root, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    assert site.upgrade() == 1
    assert "Another gemctl upgrade" in capsys.readouterr().err
    assert site.done == []
    os.close(handle)
    assert site.upgrade() == 0


def test_processes_that_a_server_does_without_are_not_started(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine too small for the thinker, mail that a provider posts: a restart would start their units."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "systemctl").write_text(
        "#!/bin/sh\n"
        'case "$1 $*" in is-*thinker|is-*mail|"is-enabled "*web) exit 1;; is-*) exit 0;; esac\n'
        f'echo "$*" >> {site.log}\n'
    )
    (programs / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(upgrade, "SYSTEMD", programs)
    site.write_settings("")
    assert site.upgrade() == 0
    units = ("gem-worker", "gem-beat", "gem-waiting", "gem-web")
    assert site.done[-4:] == [f"restart {unit}" for unit in units]


@pytest.mark.parametrize(
    "lines",
    ["PORT=x", "HOST=::1\nPORT=1", "ALLOWED_HOSTS=,\nPORT=1", "ALLOWED_HOSTS='*'\nPORT=1", "PORT=99999"],
)
def test_pages_that_cannot_be_asked_are_not_ready(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "env"
    path.write_text(f"DATABASE_URL=postgres:///gem\n{lines}\n")
    assert gemctl.main(["--settings", str(path), "ready"]) == 1


@pytest.mark.parametrize("answer", [b"HTTP/1.0 200 OK\r\n\r\nready", b"nonsense\r\n"])
def test_pages_are_asked_without_the_proxy_of_the_operators_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with listener.accept()[0] as connection:
                connection.recv(10_000)
                connection.sendall(answer)

        server = threading.Thread(target=serve)
        server.start()
        path = tmp_path / "env"
        path.write_text(f"DATABASE_URL=postgres:///gem\nPORT={listener.getsockname()[1]}\n")
        assert gemctl.main(["--settings", str(path), "ready"]) == (not answer.startswith(b"HTTP"))
        server.join()


def test_changed_code_and_unknown_versions_are_refused(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    assert site.upgrade("v9.9.9") == 1
    assert "There is no version v9.9.9" in capsys.readouterr().err
    (site.root / "restart").write_text("changed here\n")
    assert site.upgrade() == 1
    assert "The code was changed here" in capsys.readouterr().err
    assert site.done == []
    assert site.version == "v1.0.0"
