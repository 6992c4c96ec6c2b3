"""The command line of `gemctl`."""

from __future__ import annotations

import argparse
import os
import sys

from gemserver.gemctl import doctor, init, restore, upgrade
from gemserver.gemctl.installed import Server, StepFailed, Who, find_settings, listen_for_ends
from gemserver.gemctl.prepare import prepare
from gemserver.gemctl.settings_file import WrongSettings

SERVERS_OWN = {
    "status": "how the server is: processes, mail, deadlines, troubles",
    "backup": "write everything that counts into one file",
}
"""Commands of `manage.py` that have a name of their own here."""


def main(arguments: list[str] | None = None) -> int:
    """Carry out one command; the exit status. What goes wrong is said in a line, without a traceback."""
    options, rest = _read(arguments)
    try:
        settings = find_settings(options.settings)
    except FileNotFoundError:
        print(
            "The folder in which you are has been deleted: change to another one, or name the settings by their whole "
            "path.",
            file=sys.stderr,
        )
        return 1
    try:
        return _carry_out(Server(settings), options, rest)
    except (StepFailed, WrongSettings) as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read it has read enough, as `head` does. Nothing is left to be written when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.filename is None:
            raise
        print(f"{error.filename}: {error.strerror}. gemctl doctor says more.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _carry_out(server: Server, options: argparse.Namespace, rest: list[str]) -> int:
    match options.command:
        case "init":
            return init.init(server, options)
        case "prepare":
            prepare(server)
            return 0
        case "upgrade":
            return upgrade.upgrade(server, options)
        case "restore":
            return restore.restore(server, options)
        case "ready":
            return int(not upgrade.is_ready(server))
        case "doctor":
            return doctor.examine(server, options)
        case "manage":
            owner = Who.OWNER if options.as_owner else Who.SERVER
            return server.call(
                [server.python, "manage.py", *rest], owner, more={"GEM_PROGRAM": "gemctl manage"}
            )
        case own:
            return server.call([server.python, "manage.py", own, *rest], more={"GEM_PROGRAM": "gemctl"})


def _read(arguments: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    """The options of gemctl, and what is for the command of `manage.py` behind it."""
    parser = argparse.ArgumentParser(
        prog="gemctl",
        description="Set up, examine, back up and upgrade a gem server.",
        epilog="`gemctl COMMAND --help` says more.",
    )
    parser.add_argument("--settings", metavar="FILE", help="default: GEM_SETTINGS, or /etc/gemserver.env")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    init.add_arguments(commands.add_parser("init", help="ask what must be known, and write the settings"))
    commands.add_parser("prepare", help="make database and files fit the code: check, migrate, verify")
    doctor.add_arguments(
        commands.add_parser("doctor", help="examine everything, and say of each thing what to do")
    )
    commands.add_parser("ready", help="exit status 0 if the pages answer; for health checks")
    upgrade.add_arguments(commands.add_parser("upgrade", help="change to another version, or put all back"))
    restore.add_arguments(
        commands.add_parser("restore", help="make a server again from a backup, and verify it")
    )
    for name, text in SERVERS_OWN.items():
        commands.add_parser(name, help=text, add_help=False)
    manage = commands.add_parser("manage", help="run any command of manage.py", add_help=False)
    manage.add_argument("--as-owner", action="store_true", help="as the owner of the tables")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command in ("init", "prepare", "doctor", "ready", "upgrade", "restore"):
        parser.error(f"{options.command} does not know {' '.join(rest)}")
    return options, rest


if __name__ == "__main__":
    os.umask(0o027)
    listen_for_ends()
    sys.exit(main())
