"""A real Postfix, set up by the lines of `deploy/postfix.cf`, behind a real rspamd that judges senders."""

from __future__ import annotations

import json
import os
import pwd
import re
import shutil
import smtplib
import subprocess
import urllib.request
from pathlib import Path

from tests.services.processes import Failed, Process, answers, free_port, wait_for
from tests.services.site import ROOT

PATIENCE = 30
USER = "postfix"
SELECTOR = "s"

RSPAMD = """\
lua = "$RULESDIR/rspamd.lua";
options {{
  pidfile = "{folder}/rspamd.pid"; cache_file = "{folder}/symbols.cache";
  control_socket = "{folder}/control.sock mode=0600";
  rrd = ""; stats_file = ""; history_file = ""; hs_cache_dir = "{folder}/"; tempdir = "{folder}"; dynamic_conf = "";
  url_tld = "{folder}/suffixes"; filters = "dkim"; local_addrs = [];
  dns {{ nameserver = ["127.0.0.1:{dns}:1"]; timeout = 1s; retransmits = 3; }}
}}
logging {{ type = "console"; level = "info"; color = false; }}
actions {{ reject = null; "add header" = null; greylist = null; }}
modules {{ path = "${{PLUGINSDIR}}"; }}
dkim {{ check_local = true; }}
spf {{ check_local = true; }}
dmarc {{ check_local = true; }}
milter_headers {{ use = ["authentication-results"]; skip_local = false; }}
dkim_signing {{ domain {{ {domain} {{ path = "{folder}/key"; selector = "{selector}"; }} }} use_redis = false; }}
worker "normal" {{ bind_socket = "127.0.0.1:{signer}"; count = 1; }}
worker "rspamd_proxy" {{
  bind_socket = "127.0.0.1:{port}"; milter = yes; count = 1; timeout = 30s;
  upstream "local" {{ default = yes; self_scan = yes; }}
}}
"""

POSTFIX = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
daemon_directory = /usr/lib/postfix/sbin
command_directory = /usr/sbin
mail_owner = postfix
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks =
alias_maps =
alias_database =
local_recipient_maps =
smtpd_milters = inet:127.0.0.1:{milter}
milter_default_action = tempfail
address_verify_poll_delay = 1s
"""

MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


def programs() -> dict[str, str]:
    """Programs that are needed, by package; none where Postfix could not be started, which begins as root."""
    return {"postfix": "postfix", "rspamd": "rspamd"} if os.geteuid() == 0 else {}


class Rspamd:
    """The milter; it asks only the name server at this port. It can sign mail sent by `domain`."""

    def __init__(self, folder: Path, dns: int, domain: str) -> None:
        self.port, self._signer = free_port(), free_port()
        self._folder = folder / "rspamd"
        # The list of all public suffixes would take half a minute to compile.
        (self._folder / "suffixes").write_text("test\n")
        config = self._folder / "rspamd.conf"
        names = {"folder": self._folder, "port": self.port, "signer": self._signer, "dns": dns}
        config.write_text(RSPAMD.format(**names, domain=domain, selector=SELECTOR))
        self.process = Process(
            "rspamd", ["rspamd", "-f", "-c", str(config)], folder, user="nobody", cwd=Path("/")
        )

    def start(self) -> None:
        self.process.start()
        wait_for("rspamd", lambda: answers(self.port), seconds=PATIENCE, watched=[self.process])

    def stop(self) -> None:
        self.process.stop()

    def sign(self, sender: str, raw: bytes) -> bytes:
        """The mail as the sender's own server would send it."""
        told = {"User": sender, "From": sender, "IP": "127.0.0.1"}
        request = urllib.request.Request(f"http://127.0.0.1:{self._signer}/checkv2", raw, told)
        with urllib.request.urlopen(request, timeout=30) as answer:
            signature = json.load(answer).get("dkim-signature")
        if not signature:
            raise Failed(f"rspamd has not signed a mail of {sender}")
        return b"DKIM-Signature: " + str(signature).strip().encode() + b"\r\n" + raw


def make_key(folder: Path, domain: str) -> str:
    """Make a key for `Rspamd` to sign with; return the text of its DNS record."""
    (folder / "rspamd").mkdir()
    shutil.chown(folder / "rspamd", "nobody")
    key = folder / "rspamd" / "key"
    command = ["rspamadm", "dkim_keygen", "-s", SELECTOR, "-d", domain, "-k", str(key)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise Failed(f"rspamadm: {made.stderr}")
    shutil.chown(key, "nobody")
    return "".join(re.findall(r'"([^"]*)"', made.stdout))


class Postfix:
    """Takes mail for `domain` from strangers and hands it over at the socket `lmtp`."""

    def __init__(self, folder: Path, domain: str, lmtp: Path, milter: int) -> None:
        self.port = free_port()
        self._config = folder / "postfix"
        for name in ("", "queue", "data"):
            (self._config / name).mkdir()
        shutil.chown(self._config / "data", USER)
        lines = POSTFIX.format(folder=self._config, milter=milter)
        (self._config / "main.cf").write_text(lines + _deployed(domain, lmtp))
        (self._config / "master.cf").write_text(MASTER.format(port=self.port))
        self.log = self._config / "postfix.log"
        command = ["postfix", "-c", str(self._config), "start-fg"]
        self.process = Process("postfix", command, folder)

    def start(self) -> None:
        self.process.start()
        wait_for("Postfix", lambda: answers(self.port), seconds=PATIENCE, watched=[self.process])

    def stop(self) -> None:
        subprocess.run(["postfix", "-c", str(self._config), "stop"], capture_output=True, check=False)
        self.process.stop()

    def send(self, sender: str, to: str, raw: bytes) -> int:
        """Hand a mail in as a stranger's server does; return the code of the last answer."""
        with smtplib.SMTP("127.0.0.1", self.port, local_hostname="mail.test", timeout=30) as server:
            server.ehlo()
            for command in (f"MAIL FROM:<{sender}>", f"RCPT TO:<{to}>"):
                code, _ = server.docmd(command)
                if code != 250:
                    return code
            return server.data(raw)[0]


def _deployed(domain: str, lmtp: Path) -> str:
    """The settings that operators are told to make, for another domain and socket."""
    text = (ROOT / "deploy" / "postfix.cf").read_text()
    changed = text.replace("play.example.org", domain).replace("/run/gem/lmtp", str(lmtp))
    if domain not in changed or str(lmtp) not in changed:
        raise Failed("deploy/postfix.cf names neither the domain nor the socket that are put in their places")
    return changed


def let_in(lmtp: Path) -> None:
    """Let Postfix connect, as `adduser postfix gem-mail` does."""
    shutil.chown(lmtp, group=pwd.getpwnam(USER).pw_gid)
