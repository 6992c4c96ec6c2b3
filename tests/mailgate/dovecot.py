"""A real IMAP server for tests: Dovecot on free loopback ports, with temporary mailboxes."""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAM = shutil.which("dovecot") or next(
    (path for path in ("/usr/sbin/dovecot",) if os.path.exists(path)), None
)
PASSWORD = "a-password"

CONFIGURATION = """
base_dir = {folder}/run
log_path = {folder}/log
protocols = imap
listen = 127.0.0.1
ssl = {ssl}
{certificate}
disable_plaintext_auth = no
auth_mechanisms = plain login
mail_location = maildir:{folder}/mail/%u
first_valid_uid = 1
default_internal_user = {internal}
default_login_user = {login}
default_internal_group = {group}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = {tls_port}
  }}
}}
service anvil {{
  chroot =
}}
"""


class Dovecot:
    """Runs from `start` to `stop`; every user has a mailbox, with the same password."""

    def __init__(self, *, certificate: tuple[Path, Path] | None = None) -> None:
        self.port, self.tls_port = _free_port(), _free_port()
        # Not pytest's folder: that is for its owner alone, and root's Dovecot drops its privileges.
        self._temporary = TemporaryDirectory(prefix="dovecot-")
        self._folder = folder = Path(self._temporary.name)
        folder.chmod(0o755)
        account = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self._owner = (account.pw_uid, account.pw_gid)
        group = _group_name(account.pw_gid)
        text = CONFIGURATION.format(
            folder=folder,
            ssl="yes" if certificate else "no",
            certificate=f"ssl_cert = <{certificate[0]}\nssl_key = <{certificate[1]}" if certificate else "",
            internal=account.pw_name,
            login=account.pw_name,
            user=account.pw_name,
            group=group,
            password=PASSWORD,
            port=self.port,
            tls_port=self.tls_port if certificate else 0,
        )
        (folder / "dovecot.conf").write_text(text)
        (folder / "mail").mkdir()
        os.chown(folder / "mail", *self._owner)

    def start(self) -> None:
        assert PROGRAM is not None
        self._process = subprocess.Popen([PROGRAM, "-F", "-c", str(self._folder / "dovecot.conf")])
        end = time.monotonic() + 20
        while time.monotonic() < end:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0 and probe.recv(100).startswith(b"* OK"):
                    return
            time.sleep(0.05)
        raise RuntimeError((self._folder / "log").read_text())

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(20)
        self._temporary.cleanup()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def _group_name(gid: int) -> str:
    return grp.getgrgid(gid).gr_name
