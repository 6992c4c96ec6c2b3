"""An installed server: its code, its settings, and the users as whom its commands run."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gemserver.gemctl.settings_file import USUAL, WrongSettings, read_settings
from gemserver.lib.process.ends import uninterrupted
from gemserver.lib.process.named_files import say_where

ROOT = Path(__file__).resolve().parents[2]


class Who(StrEnum):
    """The user as whom a step is run, where root runs gemctl and there is such a user; else whoever runs it."""

    SERVER = "gem"
    OWNER = "gem_owner"
    """Of the tables."""
    CALLER = ""
    """Of gemctl itself: for the code, and for systemd."""


class StepFailed(Exception):
    """A step ended with an error, which it has printed itself; `advice` says what holds now and what to do."""

    def __init__(self, step: str, advice: str = "") -> None:
        super().__init__(f"{step} failed.{f' {advice}' if advice else ''}")


def find_settings(named: str | None) -> Path:
    """The file that was named on the command line or in GEM_SETTINGS, else the usual one; a whole path.

    Commands run in the folder of the code, where a relative one would be another file.
    """
    return Path(os.path.abspath(named or os.environ.get("GEM_SETTINGS") or USUAL))


@dataclass(frozen=True)
class Server:
    """The server whose settings stand in this file."""

    settings_path: Path
    root: Path = field(default=ROOT)

    @cached_property
    def settings(self) -> dict[str, str]:
        """The variables of the file, or those of a container, which has them without one. Raises WrongSettings."""
        if self.has_environment_alone:
            return dict(os.environ)
        settings = read_settings(self.settings_path)
        if not settings.get("DATABASE_URL"):
            # The commands would take the data of the embedded server, and a backup of those would seem to be one.
            raise WrongSettings(
                f"{self.settings_path} has no DATABASE_URL; docs/operating.md lists the variables."
            )
        return settings

    @property
    def has_environment_alone(self) -> bool:
        """True in a container, which is given its settings without a file."""
        return not self.has_file and "DATABASE_URL" in os.environ

    @property
    def is_contained(self) -> bool:
        """True in a container of the image, which sets IN_CONTAINERS."""
        return self.environment().get("IN_CONTAINERS", "") == "yes"

    @property
    def has_file(self) -> bool:
        """True if the settings file is there, as far as whoever runs gemctl can see."""
        return os.path.exists(self.settings_path)

    @property
    def python(self) -> str:
        own = self.root / ".venv" / "bin" / "python"
        return str(own) if os.path.exists(own) else sys.executable

    def environment(self, who: Who = Who.SERVER) -> dict[str, str]:
        """The variables of the server's processes; the owner of the tables may have a database address of its own."""
        variables = {**os.environ, **self.settings, **say_where()}
        if self.has_file:
            variables["GEM_SETTINGS"] = str(self.settings_path)
        if who is Who.OWNER and (address := self.settings.get("OWNER_DATABASE_URL")):
            variables["DATABASE_URL"] = address
        return variables

    def run(
        self,
        step: str,
        command: Sequence[str],
        who: Who = Who.SERVER,
        *,
        more: Mapping[str, str] | None = None,
        advice: str = "",
    ) -> None:
        """Say the step, and run its command, with `more` variables, in the folder of the code. Raises StepFailed."""
        print(f"… {step}", flush=True)
        if self.call(command, who, more):
            raise StepFailed(step, advice)

    def call(
        self, command: Sequence[str], who: Who = Who.SERVER, more: Mapping[str, str] | None = None
    ) -> int:
        """The exit status of a command that is run in the folder of the code.

        Code that root changes or compiles must be readable to the server's user; nothing else need be to anybody.
        """
        umask = 0o022 if who is Who.CALLER else -1
        return call(
            [*become(who), *command],
            cwd=self.root,
            env={**self.environment(who), **(more or {})},
            umask=umask,
        )

    def manage(self, step: str, *arguments: str, who: Who = Who.SERVER, advice: str = "") -> None:
        """Run a command of `manage.py`. Raises StepFailed."""
        self.run(step, [self.python, "manage.py", *arguments], who, advice=advice)

    @property
    def has_two_roles(self) -> bool:
        """True if the tables belong to another role than the server's."""
        return bool(self.settings.get("OWNER_DATABASE_URL")) or (os.getuid() == 0 and is_user(Who.OWNER))


class Ended(KeyboardInterrupt):
    """Somebody told gemctl to end by a signal, or has closed its terminal."""


def listen_for_ends() -> None:
    """Let the signals by which processes are ended be exceptions, so that a step is ended and put back in order."""

    def end(number: int, _frame: object) -> None:
        raise Ended(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
            signal.signal(number, end)


def call(command: Sequence[str], **options: Any) -> int:
    """The exit status of a command. If gemctl is told to end, the command is, too, and has time to do so in order."""
    try:
        process = subprocess.Popen(command, **options)
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}.", file=sys.stderr)
        return 127
    try:
        return process.wait()
    except Ended:
        with uninterrupted():
            process.terminate()
            process.wait()
        raise
    except KeyboardInterrupt:  # the terminal has told both
        while True:
            try:
                process.wait()
            except KeyboardInterrupt:
                continue
            raise


def become(who: Who) -> list[str]:
    """The beginning of a command line that runs the rest as this user; empty where that cannot be, or need not."""
    if os.getuid() != 0 or not who or not is_user(who) or not shutil.which("setpriv"):
        return []
    return ["setpriv", "--reuid", who, "--regid", str(pwd.getpwnam(who).pw_gid), "--init-groups"]


def whom(who: Who) -> str:
    """The name of the user as whom such steps are run here; not that of USER, which a change of user leaves."""
    if become(who):
        return str(who)
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"the user {os.getuid()}"


def group_of_server() -> int | None:
    """The group that may read the settings; None where only their owner may."""
    return pwd.getpwnam(Who.SERVER).pw_gid if os.getuid() == 0 and is_user(Who.SERVER) else None


def is_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True
