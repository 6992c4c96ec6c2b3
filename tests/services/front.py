"""Visitors who come by TLS to nginx with the configuration of `deploy/`, each from an address of their own.

All of 127.0.0.0/8 belongs to this machine, so that nginx sees as many visitors as there are source addresses.
"""

from __future__ import annotations

import http.client
import re
import shutil
import ssl
from pathlib import Path

from tests.services.browser import Browser
from tests.services.certificates import make_certificate
from tests.services.log import say
from tests.services.outages import PASSWORD
from tests.services.processes import Failed, Process, answers, free_port, wait_for
from tests.services.site import HOST, ROOT, Site

PATIENCE = 30
TRIES = 10
"""Wrong passwords a minute that one visitor may send; the next is refused unread."""
LOCKED_OUT = "Too many wrong passwords."


def programs() -> dict[str, str]:
    """Programs that are needed, by Debian's packages."""
    return {"nginx-light": _find_nginx()}


def _find_nginx() -> str:
    """nginx, which Debian puts where only root looks."""
    return shutil.which("nginx") or "/usr/sbin/nginx"


class Nginx:
    """nginx before the site's web processes."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.port = free_port()
        self.certificate = make_certificate(folder, "127.0.0.1")
        self._folder, self._site = folder, site
        configuration = folder / "nginx.conf"
        command = [_find_nginx(), "-c", str(configuration), "-g", "daemon off;"]
        self.process = Process("nginx", [*command, "-e", "stderr"], folder)
        configuration.write_text(_surroundings(folder, self._shipped()))

    def start(self) -> None:
        self.process.start()
        wait_for("nginx", lambda: answers(self.port), seconds=PATIENCE, watched=[self.process])

    def stop(self) -> None:
        self.process.stop()

    def _shipped(self) -> str:
        """`deploy/nginx.conf` with this run's ports, names and files; raises Failed if it has changed."""
        text = (ROOT / "deploy/nginx.conf").read_text()
        for pattern, ours in {
            r"listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            r"listen 80;": f"listen 127.0.0.1:{free_port()};",
            r" *listen \[::\]:\d+[^\n]*\n": "",
            r"server 127\.0\.0\.1:8000": f"server 127.0.0.1:{self._site.port}",
            r"server 127\.0\.0\.1:8001": f"server 127.0.0.1:{self._site.waiting_port}",
            r"play\.example\.org;": f"{HOST};",
            r"/etc/letsencrypt/\S+/fullchain\.pem": str(self.certificate),
            r"/etc/letsencrypt/\S+/privkey\.pem": str(self.certificate),
            r"/var/lib/nginx/gem_shared": str(self._folder / "nginx-kept"),
            r"/var/log/nginx/\S+": str(self._folder / "nginx-access.log"),
        }.items():
            text, found = re.subn(pattern, ours, text)
            if not found:
                raise Failed(f"deploy/nginx.conf has no {pattern} any more")
        return text


def _surroundings(folder: Path, shipped: str) -> str:
    """The rest of Debian's own `nginx.conf`, with all files written to this folder."""
    temporary = "".join(
        f"{kind}_temp_path {folder}/nginx-{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"pid {folder}/nginx.pid;\nerror_log stderr;\nworker_processes 1;\nevents {{}}\n"
    return f"{head}http {{\n{temporary}{shipped}}}\n"


class Visitor(Browser):
    """A browser at an address of its own, which may claim another one."""

    def __init__(self, nginx: Nginx, address: str, claimed: str = "") -> None:
        super().__init__(nginx.port, HOST, https=True)
        self._address, self.claimed = address, claimed
        self._trust = ssl.create_default_context(cafile=str(nginx.certificate))

    def _exchange(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        if self.claimed:
            headers = headers | {"X-Forwarded-For": self.claimed, "X-Real-IP": self.claimed}
        return super()._exchange(method, path, body, headers)

    def connect(self) -> http.client.HTTPConnection:
        # By its address, as no name server knows the host; the request names the host.
        source = (self._address, 0)
        return http.client.HTTPSConnection(
            "127.0.0.1", self._port, timeout=30, source_address=source, context=self._trust
        )

    def sign_in(self, name: str, password: str) -> str:
        """Sign in; return the error that the page shows, empty on success."""
        page = self.get("/accounts/login/")
        page = self.send(page, page.form("/accounts/login/"), login=name, password=password)
        return page.text if page.find_form("/accounts/login/") else ""


def count_visitors(site: Site, folder: Path, name: str) -> None:
    """One visitor guesses passwords until they are locked out; the next one signs in as `name`. Raises Failed."""
    nginx = Nginx(folder, site)
    try:
        nginx.start()
        guesser = Visitor(nginx, "127.0.0.21")
        for number in range(TRIES):
            guesser.claimed = f"198.51.100.{number}"
            if LOCKED_OUT in guesser.sign_in(f"nobody{number}", "wrong"):
                raise Failed(f"a visitor was locked out after {number} wrong passwords")
        for claimed in ("", "198.51.100.200", "127.0.0.22", "127.0.0.1, 198.51.100.7"):
            guesser.claimed = claimed
            if LOCKED_OUT not in guesser.sign_in(name, PASSWORD):
                raise Failed(f"who has no tries left has more with X-Forwarded-For: {claimed!r}")
        if answer := Visitor(nginx, "127.0.0.22").sign_in(name, PASSWORD):
            raise Failed(f"somebody else's wrong passwords lock {name} out:\n{answer[:2000]}")
    finally:
        nginx.stop()
    say("nginx: one visitor's wrong passwords are that visitor's alone, whatever address they claim")
