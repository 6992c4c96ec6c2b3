"""`gemctl prepare`: makes database and files fit the code, before the processes start with it."""

from __future__ import annotations

import shutil
from urllib.parse import unquote

from gemserver.gemctl.installed import Server, StepFailed, Who, become, whom

STOPPED = "Nothing runs the new code yet; what runs goes on."


def prepare(server: Server, *, migrates: bool = True) -> None:
    """Compile, check, migrate, grant, verify the matches that run, and collect the files of the pages.

    `migrates` is False where the code is older than the tables, which it can use as they are. Raises StepFailed.
    """
    compile_code(server)
    server.manage("check the settings", "check", "--deploy", "--database", "default", advice=STOPPED)
    if migrates:
        server.manage("migrate the tables", "migrate", "--no-input", who=Who.OWNER, advice=STOPPED)
        if server.has_two_roles:
            grant(server, server.settings.get("OWNER_DATABASE_URL") or server.settings["DATABASE_URL"])
    server.manage("replay the matches that run", "verify_matches", "--running", advice=STOPPED)
    collect_files(server)


def compile_code(server: Server) -> None:
    """Compile the code where only root may write beside it: each process would do so anew, as often as it starts."""
    folders = [name for name in ("games", "gemserver", ".venv/lib") if (server.root / name).is_dir()]
    if folders and become(Who.SERVER):
        command = [server.python, "-m", "compileall", "-q", "-j", "0", *folders]
        server.run("compile the code", command, Who.CALLER, advice=STOPPED)


def collect_files(server: Server) -> None:
    """Collect the files of the pages, without which no page can be shown. Raises StepFailed."""
    if server.is_contained:
        return  # they are in the image, where nothing can be written
    server.manage(
        "collect the files of the pages",
        *("collectstatic", "--no-input", "--verbosity", "0"),
        advice=f"{whom(Who.SERVER)} must be able to write them: gemctl doctor says where.",
    )


def grant(server: Server, address: str) -> None:
    """Let the role `gem` use the tables of their owner, the audit log only to add to it. Raises StepFailed."""
    if not shutil.which("psql"):
        raise StepFailed("grant", "Install PostgreSQL's psql, by which deploy/roles.sql is run.")
    open_address, password = split_password(plain_address(address))
    server.run(
        "grant the server what it may do",
        [
            *("psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--single-transaction"),
            *("--file", "deploy/roles.sql", open_address),
        ],
        Who.OWNER,
        more=password,
        advice=STOPPED,
    )


def plain_address(url: str) -> str:
    """The address of a database for the programs of PostgreSQL, which do not know the server's own options."""
    base, _, query = url.partition("?")
    options = [
        option
        for option in query.split("&")
        if option and option.partition("=")[0] not in ("prepare_threshold", "server_side_cursors")
    ]
    return f"{base}?{'&'.join(options)}" if options else base


def split_password(url: str) -> tuple[str, dict[str, str]]:
    """The address without its password, and the variable in which PostgreSQL's programs look for it.

    Everybody on the machine can read the command lines of all processes.
    """
    base, _, query = url.partition("?")
    scheme, _, rest = base.partition("://")
    names, at, place = rest.rpartition("@")
    name, _, password = names.partition(":")
    options = []
    for option in filter(None, query.split("&")):
        if option.startswith("password="):
            password = option.partition("=")[2]
        else:
            options.append(option)
    address = f"{scheme}://{name}{at}{place}{'?' if options else ''}{'&'.join(options)}"
    return address, {"PGPASSWORD": unquote(password)} if password else {}
