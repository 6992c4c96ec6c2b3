"""Builds the image of `Containerfile`, and plays a match by web and mail on its containers: `make image`.

Databases are those of this machine, as no image of theirs is asked for. The base is `BASE`; without one a Debian is
made by debootstrap, so that no registry is needed. What only this machine needs for building stands in BUILD_OPTIONS.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.services.__main__ import check_mails, check_record, check_rows
from tests.services.daemons import Postgres, Redis, require_programs
from tests.services.evidence import Evidence
from tests.services.log import say
from tests.services.outages import PASSWORD
from tests.services.players import MailPlayer, WebPlayer
from tests.services.processes import Failed, Process, wait_for
from tests.services.sink import Sink
from tests.services.site import ROOT, Site

IMAGE = "localhost/gemserver:test"
DEBIAN, RELEASE, MIRROR = "localhost/debian:bookworm", "bookworm", "http://deb.debian.org/debian"
TURN_LIMIT = 120
SANDBOX = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges")
"""As in compose.yaml."""
RUNTIMES = (
    (),
    ("--cgroup-manager", "cgroupfs"),
    ("--runtime", "runc", "--cgroup-manager", "cgroupfs"),
)
"""Options of podman, the first that can start a container here is taken; machines differ."""
LIMITS = "[containers]\ndefault_ulimits = ['nofile=1024:1024', 'nproc=2000:2000']\n"
"""podman asks for more than a machine may have that is itself in a sandbox."""


class Podman:
    """podman, with the options that it needs on this machine."""

    def __init__(self, folder: Path) -> None:
        configuration = folder / "containers.conf"
        configuration.write_text(LIMITS)
        self.environment = {**os.environ, "CONTAINERS_CONF": str(configuration)}
        self.command: list[str] = []

    def find_runtime(self) -> None:
        """Raises Failed with what every way has said, if no container can be started."""
        said = []
        for options in RUNTIMES:
            command = ["podman", *options, "run", "--rm", "--network", "host", IMAGE, "true"]
            done = subprocess.run(command, env=self.environment, capture_output=True, text=True)
            if done.returncode == 0:
                self.command = ["podman", *options]
                say(f"containers start by: {shlex.join(self.command)}")
                return
            said.append(f"{shlex.join(command)}: {done.stderr.strip()}")
        raise Failed("no container can be started:\n" + "\n".join(said))

    def build(self, base: str) -> None:
        begun = time.monotonic()
        options = shlex.split(os.environ.get("BUILD_OPTIONS", ""))
        self._call("buildah", "bud", "--build-arg", f"BASE={base}", "--tag", IMAGE, *options, str(ROOT))
        size = self._say("podman", "image", "inspect", "--format", "{{.Size}}", IMAGE)
        say(f"the image was built in {time.monotonic() - begun:.0f} s, {int(size) / 1e6:.0f} MB")

    def make_base(self, folder: Path) -> str:
        """A Debian made by debootstrap, unless podman has one from before."""
        if subprocess.run(["podman", "image", "exists", DEBIAN], env=self.environment).returncode == 0:
            return DEBIAN
        root = folder / "debian"
        self._call(
            "debootstrap", "--variant=minbase", "--include=ca-certificates", RELEASE, str(root), MIRROR
        )
        with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as packed:
            subprocess.run(
                ["podman", "import", "-", DEBIAN], stdin=packed.stdout, env=self.environment, check=True
            )
        shutil.rmtree(root)
        say("a Debian was made by debootstrap")
        return DEBIAN

    def _call(self, *command: str) -> None:
        if subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL).returncode:
            raise Failed(f"{command[0]} failed; see its lines above")

    def _say(self, *command: str) -> str:
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()


class ContainedSite(Site):
    """The processes of the Procfile, each in a container of its own on this machine's network."""

    podman: Podman

    def migrate(self) -> None:
        """As `prepare` of compose.yaml does. Raises Failed."""
        command = self._start("prepare", "gemctl prepare", OWNER_DATABASE_URL=self._postgres.url)
        done = subprocess.run(command, env=self.podman.environment, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"gemctl prepare failed in its container:\n{done.stdout}{done.stderr}")

    def _process(self, name: str, command: str) -> Process:
        started = self._start(name, f"exec {command}")
        return Process(name, started, self.folder, environment=self.podman.environment, cwd=ROOT)

    def _start(self, name: str, command: str, **more: str) -> list[str]:
        """The words that start a container for this command."""
        path = self.folder / f"{name}.env"
        own = {"PATH", "HOME", "STATIC_ROOT", *self.clock.environment}
        kept = {key: value for key, value in (self.environment | more).items() if key not in own}
        path.write_text("".join(f"{key}={value}\n" for key, value in kept.items()))
        return [
            *self.podman.command,
            *("run", "--rm", "--network", "host", "--name", f"gem-{name}", "--env-file", str(path)),
            *(*SANDBOX, IMAGE, "sh", "-c", command),
        ]

    def remove(self) -> None:
        for name in self.processes:
            subprocess.run(
                [*self.podman.command, "rm", "--force", f"gem-{name}"],
                env=self.podman.environment,
                capture_output=True,
            )


def main() -> None:
    require_programs(podman="podman", buildah="buildah", debootstrap="debootstrap")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gem-image-")))
        folder.chmod(0o755)
        evidence = Evidence()
        try:
            podman = Podman(folder)
            podman.build(os.environ.get("BASE") or podman.make_base(folder))
            podman.find_runtime()
            play(podman, folder, stack, evidence)
        except Failed as failure:
            evidence.show()
            sys.exit(f"\nFAILED: {failure}")
    say("everything is as it should be")


def play(podman: Podman, folder: Path, stack: ExitStack, evidence: Evidence) -> None:
    """Play a match by web and mail on the containers. Raises Failed."""
    postgres, redis, sink = Postgres(folder), Redis(folder), Sink()
    evidence.watched += [postgres.process, redis.process]
    evidence.postgres, evidence.redis = postgres, redis
    for service in (postgres, redis, sink):
        stack.callback(service.stop)
        service.start()
    ContainedSite.podman = podman
    site = ContainedSite(folder, postgres, redis, sink)
    stack.callback(site.remove)
    evidence.watched += site.watched
    site.migrate()
    site.start()
    evidence.site = site
    chance = random.Random(7)
    web = WebPlayer("wendy", "A", sink, chance, site.browser())
    mail = MailPlayer("mallory", "B", sink, chance, site.smtp_port)
    code = site.python("-m", "tests.services.table", web.name, mail.name, PASSWORD).strip()
    web.sign_in(PASSWORD)
    players: list[WebPlayer | MailPlayer] = [web, mail]

    def has_news() -> bool:
        return any(player.has_new_turn for player in players) or all(player.is_done for player in players)

    while not all(player.is_done for player in players):
        wait_for("a turn mail or the end", has_news, seconds=TURN_LIMIT, watched=site.watched)
        for player in players:
            for letter in player.new_turns():
                player.answer(letter)
    check_record(site, code, folder, [web, mail])
    check_mails(site, code, web, mail)
    check_rows(postgres)


if __name__ == "__main__":
    main()
