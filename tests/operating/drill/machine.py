"""A machine of its own: a Debian made by debootstrap, with its systemd as the first process of its namespaces.

Systemd does not run in a plain chroot, but it does where it is process 1: `unshare` gives it processes, mounts and
control groups of its own, and `pivot_root` the root. So units, `systemctl`, journal and sockets are the real ones, and
SIGKILL to that one process ends everything at once, as a cut power cord does. The network is that of the drill, which
has nothing but a loopback interface once `leave_network` was called.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from tests.services.processes import Failed, wait_for

RELEASE, MIRROR = "bookworm", "http://deb.debian.org/debian"
PATIENCE = 120
CLEAN = ("env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8")
ENTER = """
root=$1; shift
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
pivot_root . mnt
exec chroot . sh -ec 'umount -l /mnt; exec "$@"' sh "$@"
"""
"""Runs the command behind the root with that root as its own, and fresh /proc, /dev and /run."""
BOOT = """
mount -t cgroup2 cgroup /sys/fs/cgroup
exec env -i container=drill PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
"""
NEW_NETWORK = 0x40000000
"""CLONE_NEWNET of sched.h; os.unshare came with Python 3.12."""


def make_debian(root: Path) -> None:
    """A bare Debian that can boot; nothing of the server is in it."""
    packages = "ca-certificates,systemd,systemd-sysv,dbus"
    _call("debootstrap", "--variant=minbase", f"--include={packages}", RELEASE, str(root), MIRROR)
    (root / "etc/apt/apt.conf.d/90drill").write_text('APT::Get::Assume-Yes "true";\nquiet "2";\n')
    (root / "etc/hosts").write_text("127.0.0.1 localhost drill\n")
    (root / "etc/hostname").write_text("drill\n")


def leave_network() -> None:
    """Leave this process, and whatever it starts from now on, with a loopback interface of its own and no other."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK):
        raise Failed(f"unshare: {os.strerror(ctypes.get_errno())}")
    _call("ip", "link", "set", "lo", "up")


class Machine:
    """A root folder, in which things are installed and which is booted, killed and booted again."""

    def __init__(self, name: str, root: Path) -> None:
        self.name, self.root = name, root
        self._booted: subprocess.Popen[bytes] | None = None
        self._first = 0

    def copy(self, name: str) -> Machine:
        """Another machine that has what this one has on its disk."""
        root = self.root.with_name(name)
        _call("cp", "-a", "--reflink=auto", str(self.root), str(root))
        return Machine(name, root)

    def install(self, script: str) -> str:
        """Run a script that needs the network in the root, where nothing is started; return its output."""
        policy = self.root / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        authorities = self.root / "etc/ssl/certs/ca-certificates.crt"
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", authorities)
        try:
            with_pip = f"PIP_CERT=/{authorities.relative_to(self.root)}"
            return self._run(
                *_namespaces(self.root),
                *(*CLEAN, with_pip, "DEBIAN_FRONTEND=noninteractive", "sh", "-ec", script),
            )
        finally:
            policy.unlink()

    def boot(self) -> None:
        """Start systemd, and wait until all its units have."""
        with (self.root.parent / f"{self.name}.log").open("ab") as log:
            self._booted = subprocess.Popen(
                [*_namespaces(self.root), "sh", "-ec", BOOT],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_for("process 1", self._has_systemd, seconds=PATIENCE)
        wait_for("all units", self._is_up, seconds=PATIENCE)

    def run(self, script: str) -> str:
        """Run a script as root on the booted machine; return its output. Raises Failed."""
        return self._run(*self._inside(), "sh", "-ec", script)

    def run_as_server(self, *command: str) -> str:
        """Run a program in the folder of the code, with the server's settings, as its user."""
        return self._run(
            *(*self._inside(), "sh", "-ec"),
            'cd /srv/gemserver; set -a; . /etc/gemserver.env; exec runuser -u gem -- "$@"',
            *("sh", *command),
        )

    def select(self, query: str) -> str:
        """The one value that a query selects from the server's tables."""
        return self._run(
            *self._inside(), "runuser", "-u", "postgres", "--", "psql", "-XAtc", query, "gem"
        ).strip()

    def kill(self) -> None:
        """SIGKILL process 1, with which the kernel ends all others of the machine."""
        if self._first:
            os.kill(self._first, signal.SIGKILL)
        if self._booted is not None:
            self._booted.wait(PATIENCE)
        self._booted, self._first = None, 0

    def shut_down(self) -> None:
        """Stop everything in order."""
        if self._booted is None:
            return
        self.run("systemctl --no-block poweroff")
        self._booted.wait(PATIENCE)
        self._booted, self._first = None, 0

    def tell_troubles(self) -> str:
        """The end of the journal, for the reader of a drill that has failed."""
        return (
            self.run("systemctl --failed --no-legend; journalctl --no-pager -n 60 | cut -c -300")
            if self._first
            else ""
        )

    def _has_systemd(self) -> bool:
        assert self._booted is not None
        if self._booted.poll() is not None:
            raise Failed(f"{self.name} does not boot; see {self.root.parent / self.name}.log")
        children = Path(f"/proc/{self._booted.pid}/task/{self._booted.pid}/children").read_text().split()
        if not children or Path(f"/proc/{children[0]}/comm").read_text().strip() != "systemd":
            return False
        self._first = int(children[0])
        return True

    def _is_up(self) -> bool:
        time.sleep(0.3)
        done = subprocess.run(
            [*self._inside(), "systemctl", "is-system-running"], capture_output=True, text=True
        )
        return done.stdout.strip() in ("running", "degraded")

    def _inside(self) -> tuple[str, ...]:
        if not self._first:
            raise Failed(f"{self.name} is not booted")
        spaces = ("--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd")
        return ("nsenter", f"--target={self._first}", *spaces, *CLEAN)

    def _run(self, *command: str) -> str:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            raise Failed(
                f"on {self.name} this ended with {done.returncode}:\n{command[-1]}\n\n{done.stdout[-6000:]}"
            )
        return done.stdout


def _namespaces(root: Path) -> tuple[str, ...]:
    spaces = ("--mount", "--pid", "--uts", "--ipc", "--cgroup")
    return (
        "unshare",
        *spaces,
        "--fork",
        "--kill-child",
        "--propagation=private",
        "sh",
        "-ec",
        ENTER,
        "sh",
        str(root),
    )


def _call(*command: str) -> None:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr[-3000:]}")
