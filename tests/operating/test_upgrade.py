"""`gemctl upgrade`: the order of its steps, and the former version back wherever it fails or is interrupted."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import socket
import threading
from pathlib import Path

import pytest

from gemserver.gemctl import __main__ as gemctl
from gemserver.gemctl import prepare, upgrade
from gemserver.lib.process import units
from tests.operating.checkouts import Site
from tests.services.processes import wait_for

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


def test_in_a_container_the_files_of_the_pages_are_left_as_they_are_in_the_image(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing can be written there, so that `prepare` failed, and with it everything in compose.yaml."""
    monkeypatch.setenv("IN_CONTAINERS", "yes")
    monkeypatch.setenv("DATABASE_URL", "postgres:///gem")
    assert gemctl.main(["--settings", "/nonexistent", "prepare"]) == 0
    assert [line.split()[1] for line in site.done] == ["check", "migrate", "verify_matches"]


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
    let_systemd_know(site, monkeypatch, 'is-*thinker|is-*mail|"is-enabled "*web) exit 1;; is-*) exit 0')
    site.write_settings("")
    assert site.upgrade() == 0
    used = ("gem-worker", "gem-beat", "gem-waiting", "gem-web")
    assert site.done[-4:] == [f"restart {unit}" for unit in used]


@pytest.mark.parametrize(("is_active", "version"), [(True, "v1.10.0"), (False, "v1.0.0")])
def test_a_machine_without_pages_is_upgraded_if_its_own_processes_run(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_active: bool,
    version: str,
) -> None:
    runs = f"is-active*worker) exit {int(not is_active)};; is-enabled*worker) exit 0;; is-*) exit 1"
    let_systemd_know(site, monkeypatch, runs)
    monkeypatch.setattr(upgrade, "is_ready", lambda _server: False)
    site.write_settings("")
    assert (site.upgrade() == 0, site.version) == (is_active, version)
    assert "restart gem-worker" in site.done
    assert ("gem-worker does not run" in capsys.readouterr().err) is not is_active


def test_processes_that_were_restarted_are_so_again_with_the_former_version(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages that answer do not tell by which code the others run."""
    fails_once = "is-*) exit 0;; *beat) test -e $0.again || { touch $0.again; exit 1; }"
    let_systemd_know(site, monkeypatch, fails_once)
    site.write_settings("")
    assert site.upgrade() == 1
    assert site.done.count("restart gem-worker") == 2
    assert site.done[-1] == "restart gem-web"


def let_systemd_know(site: Site, monkeypatch: pytest.MonkeyPatch, cases: str) -> None:
    """A systemctl that answers by these cases of a shell, and notes whatever else it is told."""
    programs = site.root.parent / "programs"
    programs.mkdir()
    program = programs / "systemctl"
    program.write_text(f'#!/bin/sh\ncase "$1 $*" in {cases};; esac\necho "$*" >> {site.log}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(units, "SYSTEMD", programs)


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


# What cannot be done, and what to do then


@pytest.mark.parametrize(
    ("restart", "advice"),
    [("", "--no-restart"), ('sh "restart', "RESTART_COMMAND cannot be read")],
)
def test_what_could_not_be_restarted_is_refused_before_anything_is_done(
    site: Site,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    restart: str,
    advice: str,
) -> None:
    monkeypatch.setattr(units, "SYSTEMD", Path("/no/systemd"))
    site.settings.write_text(f"DATABASE_URL=postgres:///gem\nRESTART_COMMAND='{restart}'\n")
    assert site.upgrade() == 1
    said = capsys.readouterr().err
    assert advice in said
    assert "Nothing was changed" in said
    assert site.done == []
    assert site.upgrade("--no-restart") == 0


def test_a_server_that_did_not_run_before_is_not_told_to_restore_its_data(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upgrade, "is_ready", lambda _server: False)
    assert site.upgrade() == 2
    assert site.version == "v1.0.0"
    said = capsys.readouterr().err
    assert "v1.0.0 is back, but does not run: gemctl doctor" in said
    assert "restore" not in said


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, to give files away")
def test_code_that_belongs_to_another_user_says_who_may_change_it(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """git itself proposes an exception, by which the server's user could let root run anything."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.delenv("SUDO_UID", raising=False)
    shutil.chown(site.root, "nobody")
    assert site.upgrade() == 1
    assert "belongs to nobody: run this as that user" in capsys.readouterr().err
    assert site.done == []
