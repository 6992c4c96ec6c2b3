"""`gemctl`: a settings file that systemd, a shell and Django read alike, and a version that is changed or put back."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gemserver.gemctl import __main__ as gemctl
from gemserver.gemctl import doctor, installed
from gemserver.gemctl.prepare import plain_address, split_password
from gemserver.gemctl.restore import switched
from gemserver.gemctl.settings_file import WrongSettings, change_setting, read_settings, write_settings
from gemserver.lib.process.named_files import CALLED_FROM, named_file
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


@pytest.mark.parametrize("way", [EOFError, KeyboardInterrupt])
def test_whoever_leaves_before_all_is_asked_has_written_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    way: type[BaseException],
) -> None:
    def leave(_ask: str) -> str:
        raise way

    monkeypatch.setattr("builtins.input", leave)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    assert gemctl.main(["--settings", str(tmp_path / "env"), "init", "--settings-only"]) == 2
    assert "Nothing is written" in capsys.readouterr().err
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


# What cannot be done, and what to do then


def test_settings_of_somebody_else_say_as_whom_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(WrongSettings, match="run this as root, or as the server's user"):
        read_settings(tmp_path)


def test_tables_that_could_not_be_made_do_not_cost_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`init` would refuse to begin anew, so it says with what to go on."""

    def fail(_server: installed.Server) -> None:
        raise installed.StepFailed("migrate the tables")

    monkeypatch.setattr("gemserver.gemctl.init.prepare", fail)
    path = tmp_path / "my env"
    assert gemctl.main(["--settings", str(path), "init", "--yes", *SITE]) == 1
    assert "When what is said above is mended: gemctl prepare" in capsys.readouterr().err
    assert path.exists()
    assert init(path) == 1
    assert "go on with gemctl prepare" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/no/such/file"], "cannot be read: No such file or directory. Name a backup."),
        (["PIPE"], "is a pipe"),
        (["-"], "is a pipe"),
        (["FILE", "--database", "postgres://gem:pa55/word@db/gem"], "--database: A port is a number"),
        (["FILE", "--switch"], "--switch goes with --database"),
        (["FILE", "--database", "restored"], "--database: Write postgres:///gem"),
        (["FILE"], "no settings can be read in the backup"),
    ],
)
def test_what_cannot_be_restored_is_told_in_a_sentence(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "a file").touch()
    os.mkfifo(tmp_path / "pipe")
    writer = os.open(tmp_path / "pipe", os.O_RDWR)
    places = {"FILE": str(tmp_path / "a file"), "PIPE": str(tmp_path / "pipe")}
    done = subprocess.run(
        [
            *(ROOT / "deploy/gemctl", "--settings", tmp_path / "env", "restore"),
            *(places.get(argument, argument) for argument in arguments),
        ],
        env={"PATH": os.environ["PATH"]},
        stdin=writer,
        capture_output=True,
        text=True,
    )
    os.close(writer)
    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "pa55" not in done.stderr


def test_a_folder_that_is_gone_is_told_in_a_sentence(tmp_path: Path) -> None:
    done = subprocess.run(
        ["sh", "-c", f"mkdir gone; cd gone; rmdir ../gone; {ROOT}/deploy/gemctl --settings env status"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "has been deleted" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_for_the_doctor_examines_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        gemctl.main(["doctor", "--help"])
    assert "--no-dns" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        gemctl.main(["doctor", "--no-such-option"])
    assert "doctor does not know --no-such-option" in capsys.readouterr().err


def test_an_old_python_is_told_in_a_sentence(tmp_path: Path) -> None:
    """And not by what it does not understand of the code."""
    (tmp_path / "deploy").mkdir()
    shutil.copy(ROOT / "deploy/gemctl", tmp_path / "deploy")
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)
    done = subprocess.run(
        [tmp_path / "deploy/gemctl", "doctor"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "gemctl needs Python 3.11 or newer" in done.stderr


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
