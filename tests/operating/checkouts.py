"""A checkout that is upgraded, and commands of its versions that only say that they ran."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gemserver.gemctl import __main__ as gemctl
from tests.services.site import ROOT

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
