"""`gemctl doctor`: every check is told whatever the others do; who may read the keys, and who may change the code."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from gemserver.gemctl import access, doctor, permissions
from gemserver.gemctl.access import EVERYBODY, READ, WRITE, User, find_user, list_changeable, may_reach
from gemserver.gemctl.installed import Server
from gemserver.gemctl.permissions import Processes, find_processes, look_at_code, look_at_settings
from gemserver.lib import clock
from gemserver.lib.process import units
from gemserver.lib.process.findings import Finding, examine_each
from gemserver.operating import doctor as inner
from gemserver.operating.alarms import OLDEST_BACKUP, note_backup

as_root = pytest.mark.skipif(
    os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root, to be somebody else"
)
SETTINGS = "DATABASE_URL=postgres:///gem\n"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server in a folder that everybody can reach, all of whose files are root's, or ours."""
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with tempfile.TemporaryDirectory(prefix="gem server ", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for path in ("code/gemserver/module.py", "code/staticfiles/page.css", "code/.venv/bin/python"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).touch(0o644)
        for path in (folder / "code").rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        (folder / "env").write_text(SETTINGS)
        (folder / "env").chmod(0o640)
        monkeypatch.setattr(doctor, "_runs_django", lambda _server, *_by: True)
        yield Server(folder / "env", folder / "code")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of `manage.py` that would be run."""
    made: list[list[str]] = []
    monkeypatch.setattr(Server, "call", lambda _self, command: made.append([*command]) or 0)
    return made


def fail(*_arguments: object) -> list[Finding]:
    raise RuntimeError("pa55word")


# Every check is told


def test_a_check_that_raises_is_a_finding_and_the_others_are_made() -> None:
    def stop() -> Iterator[Finding]:
        yield Finding("first", "is well")
        raise PermissionError(13, "Permission denied", "/srv/place")

    found = list(
        examine_each({"first": stop, "second": fail, "third": lambda: [Finding("third", "is well")]})
    )
    assert [(finding.subject, finding.is_good) for finding in found] == [
        ("first", True),
        ("first", False),
        ("second", False),
        ("third", True),
    ]
    assert found[1].found == "/srv/place: Permission denied"
    assert "RuntimeError at test_doctor.py:" in found[2].found
    assert not any("pa55word" in finding.write() for finding in found)


def test_a_bad_permission_does_not_keep_the_other_checks_from_being_made(
    server: Server, calls: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    server.settings_path.chmod(0o666)
    assert doctor.examine(server, Namespace(no_dns=True)) == 1
    assert calls == [[server.python, "manage.py", "doctor", "--no-dns"]]
    said = capsys.readouterr().out
    assert f"TODO permissions    {server.settings_path} can be read by others" in said
    assert "ok   disk" in said


@pytest.mark.parametrize(
    "name",
    [
        "_look_at_settings",
        "look_at_users",
        "look_at_settings",
        "look_at_code",
        "look_at_pages",
        "_look_at_python",
        "_look_at_packages",
        "_look_at_disks",
        "_look_at_clock",
        "find_processes",
    ],
)
def test_whatever_raises_the_rest_is_looked_at(
    server: Server,
    calls: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
) -> None:
    monkeypatch.setattr(doctor, name, fail)
    assert doctor.examine(server, Namespace(no_dns=False)) == 1
    assert calls
    said = capsys.readouterr().out
    assert "the check itself failed: RuntimeError" in said
    assert "pa55word" not in said
    assert "ok   Python" in said or "ok   disk" in said


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        (None, "make it with `gemctl init`"),
        ("", "has no DATABASE_URL"),
        ("DATABASE_URL='postgres:///g", "line 1: put the value in single quotes"),
    ],
)
def test_settings_that_cannot_be_read_leave_the_machine_to_be_looked_at(
    server: Server,
    calls: list[list[str]],
    capsys: pytest.CaptureFixture[str],
    text: str | None,
    advice: str,
) -> None:
    server.settings_path.unlink()
    if text is not None:
        server.settings_path.write_text(text)
    assert doctor.examine(server, Namespace(no_dns=False)) == 1
    said = capsys.readouterr().out
    assert advice in said
    assert "the check itself failed" not in said
    assert "ok   disk" in said
    assert "can be looked at when this is mended" in said
    assert not calls


@pytest.mark.django_db
def test_whatever_raises_inside_the_rest_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [name for name in vars(inner) if name.startswith("_examine_") or name == "_knock"]
    monkeypatch.setattr(inner.settings, "PRODUCTION", True)
    for name in names:
        monkeypatch.setattr(inner, name, fail)
    found = list(inner.examine_server())
    assert [finding.subject for finding in found] == [
        *(
            "settings",
            "database",
            "migrations",
            "Redis",
            "workers",
            "web",
            "relay",
            "mail in",
            "site",
            "backup",
        )
    ]
    assert all("RuntimeError" in finding.found for finding in found)


@pytest.mark.parametrize(
    ("check", "changed"),
    [
        ("_examine_relay", {"EMAIL_HOST": "a..b"}),
        ("_examine_site", {"SITE_URL": "https://a..b"}),
        ("_examine_site", {"SITE_URL": "nonsense"}),
        ("_examine_way_in", {"IMAP_HOST": "a..b", "MAIL_WEBHOOKS": ()}),
        ("_examine_redis", {"CELERY_BROKER_URL": "redis://:pa55word/x@127.0.0.1/0"}),
        ("_examine_redis", {"CELERY_BROKER_URL": "redis://a..b/0"}),
    ],
)
def test_an_address_that_cannot_be_is_told_without_its_password(
    monkeypatch: pytest.MonkeyPatch, check: str, changed: dict[str, object]
) -> None:
    monkeypatch.setattr(inner.settings, "EMAIL_BACKEND", "django.core.mail.backends.smtp.EmailBackend")
    for name, value in changed.items():
        monkeypatch.setattr(inner.settings, name, value)
    found = list(getattr(inner, check)())
    assert not found[0].is_good
    assert "pa55word" not in found[0].write()


def test_a_machine_for_workers_alone_is_not_told_to_start_what_runs_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(units, "SYSTEMD", tmp_path)
    monkeypatch.setattr(units, "is_used", lambda unit: unit == "gem-worker")
    monkeypatch.setattr(inner, "_listens", lambda _host, _port: False)
    monkeypatch.setattr(inner, "LMTP_SOCKET", str(tmp_path / "none"))
    assert [finding.is_good for finding in (*inner._knock(), *inner._examine_way_in())] == [True] * 3
    assert "backup" not in {finding.subject for finding in list_server(monkeypatch)}
    monkeypatch.setattr(units, "is_used", lambda unit: False)  # nothing was enabled yet
    assert [finding.is_good for finding in (*inner._knock(), *inner._examine_way_in())] == [False] * 3
    assert "backup" in {finding.subject for finding in list_server(monkeypatch)}


@pytest.mark.django_db
def test_a_backup_that_was_written_elsewhere_counts_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As in containers, which keep none, where it was asked for for ever."""
    monkeypatch.setattr(inner.settings, "BACKUP_DIR", tmp_path)
    monkeypatch.setattr(inner.settings, "EMBEDDED", False)
    assert "gem-backup.timer" in inner._examine_backups().advice
    monkeypatch.setattr(inner.settings, "IN_CONTAINERS", True)
    assert "exec -T web gemctl backup -" in inner._examine_backups().advice
    note_backup(clock.now(), is_made=True)
    assert inner._examine_backups().is_good
    note_backup(clock.now() - 2 * OLDEST_BACKUP, is_made=True)
    assert not inner._examine_backups().is_good


def list_server(monkeypatch: pytest.MonkeyPatch) -> list[Finding]:
    """All findings, of checks that find nothing by themselves."""
    for name in vars(inner):
        if name.startswith("_examine_") and name not in ("_examine_way_in", "_examine_tables"):
            monkeypatch.setattr(inner, name, list)
    monkeypatch.setattr(inner, "_examine_tables", list)
    monkeypatch.setattr(inner, "_examine_backups", lambda: Finding("backup", "none", "gemctl backup"))
    return list(inner.examine_server())


# Who may do what to a file


@as_root
def test_permissions_are_read_as_the_kernel_reads_them(server: Server) -> None:
    nobody = find_user("nobody")
    for uid in (0, nobody.uid):
        for gid in (0, nobody.group):
            for mode in (0o000, 0o200, 0o400, 0o600, 0o040, 0o060, 0o004, 0o006, 0o640, 0o604, 0o066):
                path = server.settings_path
                os.chown(path, uid, gid)
                path.chmod(mode)
                kernel = [kernel_lets(nobody, flag, path) for flag in "rw"]
                assert [may_reach(nobody, path, right) for right in (READ, WRITE)] == kernel, oct(mode)


@as_root
def test_a_file_cannot_be_reached_through_a_closed_folder(server: Server) -> None:
    nobody, path = find_user("nobody"), server.root / "gemserver/module.py"
    assert may_reach(nobody, path, READ)
    server.root.chmod(0o700)
    assert not may_reach(nobody, path, READ)
    assert not kernel_lets(nobody, "r", path)


def kernel_lets(user: User, flag: str, path: Path) -> bool:
    who = ["setpriv", "--reuid", str(user.uid), "--regid", str(user.group), "--init-groups", "env"]
    return subprocess.run([*who, "test", f"-{flag}", str(path)]).returncode == 0


# The processes' users and what they may change


def follow(finding: Finding) -> None:
    """Do what it says, in a shell."""
    subprocess.run(["sh", "-ec", finding.advice.partition(": ")[0]], check=True)


@as_root
@pytest.mark.parametrize(
    "spoil",
    [
        "chmod 644 ENV",
        "chmod 660 ENV",
        "chown nobody ENV",
        "chmod 600 ENV",
        "chgrp games ENV",
        "chmod o+w FOLDER",
        "chown nobody FOLDER",
    ],
)
def test_settings_that_others_can_read_or_the_server_can_change_are_told(server: Server, spoil: str) -> None:
    """And what is told to do mends them."""
    nobody, path = find_user("nobody"), server.settings_path
    os.chown(path, 0, nobody.group)
    assert [finding.is_good for finding in look_at_settings(server, Processes([nobody]))] == [True]
    shell = {"ENV": str(path), "FOLDER": str(path.parent), "PATH": os.environ["PATH"]}
    command = spoil.replace("ENV", '"$ENV"').replace("FOLDER", '"$FOLDER"')
    subprocess.run(["sh", "-c", command], env=shell, check=True)
    (finding,) = look_at_settings(server, Processes([nobody]))
    assert not finding.is_good
    follow(finding)
    assert [finding.is_good for finding in look_at_settings(server, Processes([nobody]))] == [True]
    assert kernel_lets(nobody, "r", path)
    assert not kernel_lets(nobody, "w", path)
    assert not kernel_lets(nobody, "w", path.parent)


@pytest.fixture
def group() -> Iterator[str]:
    name = f"gem-test-{os.getpid()}"
    subprocess.run(["groupadd", name], check=True)
    yield name
    subprocess.run(["groupdel", name], check=True)


@as_root
def test_who_belongs_to_the_group_of_the_settings_is_told(server: Server, group: str) -> None:
    """Such as Postfix, let in to find the socket for its mail."""
    path, number = server.settings_path, grp.getgrnam(group).gr_gid
    os.chown(path, 0, number)
    path.chmod(0o640)
    processes = Processes([User("nobody", find_user("nobody").uid, number, frozenset([number]))])
    assert [finding.is_good for finding in look_at_settings(server, processes)] == [True]
    subprocess.run(["gpasswd", "-a", "daemon", group], check=True)
    assert kernel_lets(find_user("daemon"), "r", path)
    (finding,) = look_at_settings(server, processes)
    assert finding.found == f"{path} can be read by daemon, who belongs to the group"
    follow(finding)
    assert not kernel_lets(find_user("daemon"), "r", path)
    assert [finding.is_good for finding in look_at_settings(server, processes)] == [True]


@as_root
def test_who_keeps_settings_alone_is_no_stranger_to_them_and_needs_no_root(
    server: Server, group: str
) -> None:
    path, number, daemon = server.settings_path, grp.getgrnam(group).gr_gid, find_user("daemon")
    subprocess.run(["gpasswd", "-a", "daemon", group], check=True)
    os.chown(path, daemon.uid, number)
    path.chmod(0o640)
    alone = Processes([User(str(daemon.uid), daemon.uid, number, frozenset([number]))], is_one_persons=True)
    assert [finding.is_good for finding in look_at_settings(server, alone)] == [True]
    subprocess.run(["gpasswd", "-a", "nobody", group], check=True)
    (finding,) = look_at_settings(server, alone)
    assert "can be read by nobody, who belongs to the group" in finding.found
    assert finding.advice.startswith("chmod 600 ")


@as_root
def test_settings_in_a_closed_folder_are_to_be_moved(server: Server) -> None:
    """As in root's home, which is not to be opened."""
    nobody, path = find_user("nobody"), server.settings_path
    os.chown(path, 0, nobody.group)
    path.parent.chmod(0o700)
    (finding,) = look_at_settings(server, Processes([nobody]))
    assert "cannot be read by nobody" in finding.found
    assert finding.advice.startswith(f"mv --no-clobber '{path}' /etc/gemserver.env; chown root:")


@as_root
@pytest.mark.parametrize(
    "spoil",
    [
        "chown -R nobody ROOT",
        "chown nobody ROOT/gemserver",
        "chown nobody ROOT/gemserver/module.py; chmod a-w ROOT/gemserver/module.py",
        "chgrp nogroup ROOT/gemserver; chmod g+w ROOT/gemserver",
        "chmod o+w ROOT/.venv/bin/python",
        "chmod o+w ROOT/..",
        "mv ROOT/.venv ROOT/../venv; ln -s ../venv ROOT/.venv; chown -R nobody ROOT/../venv",
    ],
)
def test_code_that_the_server_can_change_is_told(server: Server, spoil: str) -> None:
    """Whoever takes a process over would else leave code that root runs with the next gemctl."""
    processes = Processes([find_user("nobody")])
    shutil.chown(server.root / "staticfiles", "nobody")
    assert [finding.is_good for finding in look_at_code(server, processes)] == [True]
    command = spoil.replace("ROOT", '"$ROOT"')
    subprocess.run(
        ["sh", "-ec", command], env={"ROOT": str(server.root), "PATH": os.environ["PATH"]}, check=True
    )
    (finding,) = look_at_code(server, processes)
    assert not finding.is_good
    follow(finding)
    assert [finding.is_good for finding in look_at_code(server, processes)] == [True]
    assert (server.root / "staticfiles").owner() == "nobody"


@as_root
@pytest.mark.parametrize(
    "spoil", ["chmod -R go= ROOT/gemserver", "chmod o-r ROOT/gemserver/module.py", "chmod go= ROOT"]
)
def test_code_that_the_server_cannot_read_is_told(server: Server, spoil: str) -> None:
    """As where root keeps what it clones for itself (umask 077); the settings beside the code stay closed."""
    nobody = find_user("nobody")
    (server.root / ".env").touch(0o600)
    command = spoil.replace("ROOT", '"$ROOT"')
    subprocess.run(
        ["sh", "-ec", command], env={"ROOT": str(server.root), "PATH": os.environ["PATH"]}, check=True
    )
    finding = list(look_at_code(server, Processes([nobody])))[-1]
    assert not finding.is_good
    subprocess.run(["sh", "-ec", finding.advice.partition(", or")[0]], check=True)
    assert [finding.is_good for finding in look_at_code(server, Processes([nobody]))] == [True]
    assert kernel_lets(nobody, "r", server.root / "gemserver/module.py")
    assert not kernel_lets(nobody, "r", server.root / ".env")


@as_root
def test_pages_whose_files_cannot_be_collected_are_told(server: Server) -> None:
    """As where somebody has run collectstatic as root."""
    processes = Processes([find_user("nobody")])
    (server.root / "staticfiles/admin").mkdir()
    shutil.chown(server.root / "staticfiles", "nobody")
    for _ in range(2):
        (finding,) = permissions.look_at_pages(server, processes)
        follow(finding)
        assert list(permissions.look_at_pages(server, processes)) == []
        shutil.chown(server.root / "staticfiles", "root")


def test_whoever_runs_a_server_of_their_own_is_not_told_to_make_a_user(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one user owns the files and runs the processes; only what everybody may change is told."""
    monkeypatch.setattr(permissions, "is_user", lambda _name: True)  # `gem`, who runs another one here
    monkeypatch.setattr(units, "SYSTEMD", Path("/no/systemd"))
    uid = os.getuid() or find_user("nobody").uid
    monkeypatch.setattr(os, "getuid", lambda: uid)
    if os.stat(server.root).st_uid == 0:
        for path in (server.root, *server.root.rglob("*"), server.settings_path):
            os.chown(path, uid, os.stat(path).st_gid)
    processes = find_processes(server)
    assert processes.is_one_persons
    server.settings_path.chmod(0o600)
    for path in server.root.rglob("*"):
        path.chmod(path.stat().st_mode | 0o020)  # the umask of Debian
    assert [finding.is_good for finding in permissions.look_at_users(processes)] == []
    assert [finding.is_good for finding in look_at_settings(server, processes)] == [True]
    assert [finding.is_good for finding in look_at_code(server, processes)] == [True]
    server.settings_path.chmod(0o604)
    (server.root / "gemserver").chmod(0o777)
    (finding,) = look_at_settings(server, processes)
    assert finding.advice.startswith("chmod 600 ")
    (finding,) = look_at_code(server, processes)
    assert "can be changed by everybody" in finding.found
    assert "chown" not in finding.advice


def test_the_units_of_systemd_say_who_the_server_is(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of this code: whoever tries something out beside a server is not told about its user."""
    me = pwd.getpwuid(os.getuid()).pw_name
    told = [("not-found", ""), ("loaded", me), ("loaded", "nobody"), ("loaded", "gone"), ("loaded", me)]
    here = [f"User={user}\nLoadState={state}\nWorkingDirectory={server.root}" for state, user in told]
    other = "LoadState=loaded\nUser=daemon\nWorkingDirectory=/srv/other"
    (tmp_path / "systemctl").write_text("#!/bin/sh\ncat <<END\n" + "\n\n".join([*here, other]) + "\nEND\n")
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(units, "SYSTEMD", tmp_path)
    processes = find_processes(server)
    assert [user.name for user in processes.users] == [me, "nobody"]
    assert not processes.is_one_persons
    told = [finding.found for finding in permissions.look_at_users(processes) if "no user" in finding.found]
    assert told == ["there is no user gone, whom the units of systemd name"]


@as_root
def test_a_unit_of_another_user_than_gemctl_takes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permissions, "whom", lambda _who: "nobody")
    assert list(permissions.look_at_users(Processes([find_user("nobody")]))) == []
    (finding,) = permissions.look_at_users(Processes([find_user("daemon"), find_user("nobody")]))
    assert "names daemon, and gemctl runs the server's commands as nobody" in finding.found


def test_processes_that_run_as_root_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_there, words in ((False, "adduser --system --group gem"), (True, "name User=gem")):
        monkeypatch.setattr(permissions, "is_user", lambda _name, is_there=is_there: is_there)
        (finding,) = permissions.look_at_users(Processes([find_user("root")]))
        assert words in finding.advice


def test_nobody_changes_what_lies_on_a_read_only_file_system(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container whose image belongs to the user of its processes."""
    (server.root / "gemserver").chmod(0o777)
    assert list(list_changeable(EVERYBODY, server.root))
    monkeypatch.setattr(access.os, "statvfs", lambda _path: SimpleNamespace(f_flag=os.ST_RDONLY))
    assert not list(list_changeable(EVERYBODY, server.root))
