"""`gemctl upgrade`: backs up, changes to another version, makes everything fit, and restarts; or puts all back."""

from __future__ import annotations

import argparse
import fcntl
import http.client
import os
import re
import shlex
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from gemserver.gemctl.installed import Server, StepFailed, Who
from gemserver.gemctl.prepare import collect_files, compile_code, prepare
from gemserver.lib.process import units
from gemserver.lib.process.ends import uninterrupted
from gemserver.lib.process.units import UNITS

READY_WITHIN = 60
"""Seconds for the pages to answer after a restart."""
RELEASE = re.compile(r"v[0-9]+(\.[0-9]+)*")
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""A proxy that the operator's shell names for the web does not know this machine's own ports."""


class Refused(Exception):
    """An upgrade that cannot begin; nothing was changed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "version",
        nargs="?",
        help="tag, commit, or branch as the remote has it; default: the newest tag that is fetched",
    )
    parser.add_argument("--no-fetch", action="store_true", help="use what the checkout has already")
    parser.add_argument("--no-backup", action="store_true", help="somebody else has just backed up")
    parser.add_argument("--no-restart", action="store_true", help="leave the restart to somebody else")
    parser.add_argument("--yes", action="store_true", help="for scripts; nothing is asked without it either")


def upgrade(server: Server, options: argparse.Namespace) -> int:
    """Change the version; the exit status. Where a step fails, the former version is put back and runs on."""
    try:
        with _alone(server):
            return _upgrade(server, options)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1


@contextmanager
def _alone(server: Server) -> Iterator[None]:
    """Keep others from changing the code of this server at the same time. Raises Refused."""
    handle = os.open(server.root, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refused("Another gemctl upgrade is at work here; wait until it has ended.") from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(handle)


def _upgrade(server: Server, options: argparse.Namespace) -> int:
    """Raises Refused while nothing is changed."""
    if not options.no_restart:
        _require_restart(server)
    former, target = _choose(server, options)
    if former == target:
        print(f"This is {options.version or 'the newest version'} already.")
        return 0
    is_older = _git_status(server, "merge-base", "--is-ancestor", target, former) == 0
    print(f"From {_describe(server, former)} {'back' if is_older else 'on'} to {_describe(server, target)}.")
    if not options.no_backup:
        server.manage("back up", "backup", advice="Nothing was changed. --no-backup goes on without.")
    has_begun = False
    try:
        _change_code(server, target)
        prepare(server, migrates=not is_older)
        if not options.no_restart:
            has_begun = True
            restart(server)
    except (Exception, KeyboardInterrupt) as error:  # whatever it is, nobody may be left between two versions
        with uninterrupted():
            print("Interrupted." if isinstance(error, KeyboardInterrupt) else error, file=sys.stderr)
            restarts = has_begun or (not options.no_restart and bool(_find_trouble(server)))
            return _put_back(server, former, restarts=restarts)
    if options.no_restart:
        print(f"Restart the processes now, in this order: {', '.join(UNITS)}.")
    print(f"Done: {_describe(server, target)}.")
    return 0


def _require_restart(server: Server) -> None:
    """Raise Refused where nothing is known by which the processes could be restarted."""
    try:
        if not (_read_restart(server) or units.SYSTEMD.exists()):
            raise Refused(
                f"Here is no systemd: name in {server.settings_path} what restarts the processes (RESTART_COMMAND), or "
                "restart them yourself afterwards (--no-restart). Nothing was changed."
            )
    except StepFailed as error:
        raise Refused(f"{error} Nothing was changed.") from error


def _read_restart(server: Server) -> list[str]:
    """The command that restarts the processes; empty for systemd. Raises StepFailed."""
    try:
        return shlex.split(server.settings.get("RESTART_COMMAND", ""))
    except ValueError as error:
        raise StepFailed("restart", f"RESTART_COMMAND cannot be read: {error}.") from error


def _choose(server: Server, options: argparse.Namespace) -> tuple[str, str]:
    """The present commit and the one to change to. Raises Refused."""
    if not (server.root / ".git").exists():
        raise Refused(
            f"{server.root} is no git checkout. Put the new code in its place as it was installed (an image, a "
            "package), then run `gemctl prepare` and restart."
        )
    if changed := _git(server, "status", "--porcelain", "--untracked-files=no"):
        raise Refused(f"The code was changed here; keep or undo that first:\n{changed}")
    remote = _find_remote(server)
    if remote and not options.no_fetch:
        _fetch(server, remote)
    name = options.version or _newest(server)
    if not name:
        raise Refused("No version is tagged; name a commit: gemctl upgrade COMMIT")
    return _git(server, "rev-parse", "HEAD"), _find_commit(server, name, remote)


def _find_remote(server: Server) -> str:
    """The name of the repository from which new versions come; empty where there is none. Raises Refused."""
    remotes = _git(server, "remote").split("\n")
    if "origin" in remotes or len(remotes) == 1:
        return "origin" if "origin" in remotes else remotes[0]
    raise Refused(
        f"None of the remotes {', '.join(remotes)} is called origin: git remote rename NAME origin."
    )


def _fetch(server: Server, remote: str) -> None:
    """Get all tags and branches, and forget branches that are gone there. Raises Refused."""
    print("… fetch the new versions", flush=True)
    # A clone of one branch (--depth, --single-branch) would else get that one alone.
    branches = f"+refs/heads/*:refs/remotes/{remote}/*"
    command = ["git", "fetch", "--tags", "--prune", remote, branches]
    done = subprocess.run(
        command, cwd=server.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, umask=0o022
    )
    if done.returncode:
        advice = (
            "A tag is another commit there than here: ask why, and delete the one here (git tag --delete TAG)."
            if "clobber" in done.stderr
            else f"Look at the network, and where `git remote get-url {remote}` leads."
        )
        raise Refused(
            f"{done.stderr.strip()}\nThe new versions cannot be fetched, and nothing was changed. {advice} "
            "--no-fetch takes what is here already."
        )


def _find_commit(server: Server, name: str, remote: str) -> str:
    """The commit that this tag, branch or commit names. Raises Refused.

    A branch is the remote's: the one here is as old as the last time that somebody pulled.
    """

    def is_there(revision: str) -> bool:
        return not _git_status(server, "rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}")

    fetched = f"refs/remotes/{remote}/{name}"
    if is_there(f"refs/tags/{name}"):
        name = f"refs/tags/{name}"
    elif remote and name != "HEAD" and is_there(fetched):
        name = fetched
    elif remote and is_there(f"refs/heads/{name}"):
        raise Refused(
            f"{remote} has no branch {name}. To take the one that is here, name its commit: "
            f"gemctl upgrade {_git(server, 'rev-parse', '--short', f'refs/heads/{name}')}"
        )
    elif not is_there(name):
        raise Refused(f"There is no version {name}; `git tag` and `git branch --remotes` list them.")
    return _git(server, "rev-parse", f"{name}^{{commit}}")


def _newest(server: Server) -> str:
    """The newest released version; empty where there is none. What comes before a release must be named."""
    tags = _git(server, "tag", "--list", "v*", "--sort=-version:refname").split()
    return next(filter(RELEASE.fullmatch, tags), "")


def _change_code(server: Server, commit: str) -> None:
    server.run("change the code", ["git", "checkout", "--quiet", "--detach", commit], Who.CALLER)
    lists = ["requirements.txt"]
    if (server.root / ".venv" / "mail.txt.installed").exists():
        lists.append("requirements/mail.txt")
    server.run("install what it needs", [sys.executable, "requirements/install.py", *lists], Who.CALLER)


def _put_back(server: Server, former: str, *, restarts: bool) -> int:
    """Return to the former version; the exit status, always bad."""
    print("Putting the former version back.", file=sys.stderr)
    try:
        _change_code(server, former)
        compile_code(server)
        collect_files(server)
    except StepFailed as error:
        print(
            f"{error} Do it by hand: git checkout {former}, python3 requirements/install.py requirements.txt, restart. "
            "Nothing that was played is lost.",
            file=sys.stderr,
        )
        return 2
    try:
        if restarts:
            restart(server)
    except StepFailed as error:
        if _find_trouble(server):
            print(
                f"{error} {_describe(server, former)} is back, but does not run: gemctl doctor says what is missing, "
                "and journalctl -u gem-web why. Nothing that was played is lost.",
                file=sys.stderr,
            )
            return 2
    print(
        f"{_describe(server, former)} runs on. New columns and tables stay, which it does not mind; nothing that was "
        "played is lost. Report what failed, with the lines above.",
        file=sys.stderr,
    )
    return 1


def restart(server: Server) -> None:
    """Restart all processes, the pages last, and wait until they run. Raises StepFailed."""
    if command := _read_restart(server):
        server.run("restart", command, Who.CALLER)
    elif units.SYSTEMD.exists():
        for unit in filter(units.is_used, UNITS):
            server.run(f"restart {unit}", ["systemctl", "restart", unit], Who.CALLER)
    else:
        raise StepFailed("restart", "Here is no systemd; set RESTART_COMMAND, or use --no-restart.")
    end = time.monotonic() + READY_WITHIN
    while trouble := _find_trouble(server):
        if time.monotonic() > end:
            raise StepFailed("restart", f"{trouble} after {READY_WITHIN} seconds.")
        time.sleep(1)


def _find_trouble(server: Server) -> str:
    """Why the server does not run, in words; empty if it does. A machine without pages is asked for its units."""
    if not _read_restart(server) and units.does_without("gem-web"):
        still = [unit for unit in UNITS if units.is_used(unit) and not units.is_active(unit)]
        return f"{still[0]} does not run" if still else ""
    return "" if is_ready(server) else "The pages do not answer"


def is_ready(server: Server) -> bool:
    """True if a web process with migrated tables answers."""
    settings = server.settings
    host, port = settings.get("HOST") or "127.0.0.1", settings.get("PORT") or "8000"
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    names = [name.lstrip(".") for name in settings.get("ALLOWED_HOSTS", "").replace(",", " ").split()]
    name = next((name for name in names if name != "*"), host)
    try:
        request = urllib.request.Request(
            f"http://{host.replace('0.0.0.0', '127.0.0.1')}:{port}/readyz", headers={"Host": name}
        )
        with DIRECTLY.open(request, timeout=5) as answer:
            return bool(answer.status == 200)
    except (OSError, ValueError, http.client.HTTPException):
        return False


def _describe(server: Server, commit: str) -> str:
    return _git(server, "describe", "--tags", "--always", commit)


def _git(server: Server, *arguments: str) -> str:
    """The output of a git command. Raises Refused."""
    try:
        done = subprocess.run(["git", *arguments], cwd=server.root, capture_output=True, text=True)
    except OSError as error:
        raise Refused(f"git cannot be run: {error.strerror}.") from error
    if "dubious ownership" in done.stderr:
        raise Refused(_say_whose(server))
    if done.returncode:
        raise Refused(f"git {arguments[0]}: {done.stderr.strip()}")
    return done.stdout.strip()


def _say_whose(server: Server) -> str:
    """The advice where git refuses because the code belongs to another user."""
    owner = server.root.owner()
    if os.getuid() != 0:
        return f"{server.root} belongs to {owner}: run this as that user."
    if owner == Who.SERVER:
        return f"{server.root} belongs to {owner}, and should be root's: gemctl doctor says how."
    return (
        f"{server.root} belongs to {owner}: run this as that user, or let root trust it: "
        f"git config --global --add safe.directory {shlex.quote(str(server.root))}"
    )


def _git_status(server: Server, *arguments: str) -> int:
    done = subprocess.run(["git", *arguments], cwd=server.root, capture_output=True)
    return done.returncode
