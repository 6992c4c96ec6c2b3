"""`gemctl init`: asks what it must know, and writes the settings file with fresh secrets."""

from __future__ import annotations

import argparse
import re
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import SplitResult, unquote, urlsplit

from gemserver.gemctl.installed import Server, StepFailed, group_of_server
from gemserver.gemctl.prepare import prepare
from gemserver.gemctl.settings_file import Section, write_settings

DOMAIN = re.compile(r"(?=.{4,200}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
ADDRESS = re.compile(r"[^@\s,']+@[^@\s,']+\.[^@\s,']+")
PROVIDERS = [
    "amazon_ses",
    "brevo",
    "mailersend",
    "mailgun",
    "mailjet",
    "mailtrap",
    "mandrill",
    "postal",
    "postmark",
    "resend",
    "sendgrid",
    "sparkpost",
]
LOOPBACK = ("localhost", "127.0.0.1", "::1")
KEY_BYTES = 32


class Unusable(Exception):
    """An answer that cannot be used; the message says what to write."""


class Question:
    """Something to be known: an option of the command line, or asked for at a terminal."""

    def __init__(self, option: str, ask: str, default: str, read: Callable[[str], str]) -> None:
        self.option, self.ask, self.default, self.read = option, ask, default, read


def _read_domain(text: str) -> str:
    name = text.lower().rstrip(".")
    if not DOMAIN.fullmatch(name):
        raise Unusable("Write the name of the site alone, such as play.example.org.")
    return name


def _read_addresses(text: str) -> str:
    addresses = text.replace(",", " ").split()
    if not addresses or not all(map(ADDRESS.fullmatch, addresses)):
        raise Unusable("Write an address such as you@example.org, or several with commas between them.")
    return ",".join(addresses)


def _split(text: str) -> SplitResult:
    """The parts of an address. Raises Unusable where its password has marks that end it, or its port is no number."""
    try:
        parts = urlsplit(text)
        is_whole = parts.port != 0 and not parts.fragment
    except ValueError:
        is_whole = False
    if not is_whole:
        raise Unusable(
            "A port is a number up to 65535. In a name or password write %2F for /, %3F for ?, %23 for #, %40 for @, "
            "%3A for : and %25 for %."
        )
    return parts


def read_database(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in ("postgres", "postgresql") or not parts.path.strip("/"):
        raise Unusable("Write postgres:///gem for this machine, or postgres://user:password@host:5432/gem.")
    return text


def _read_redis(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise Unusable("Write redis://127.0.0.1:6379/0, or rediss://… with TLS.")
    return text


def _read_relay(text: str) -> str:
    parts = _split(text)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname:
        raise Unusable("Write smtp://localhost, smtp://user:password@host:587 or smtps://user:password@host.")
    return text


def _read_way_in(text: str) -> str:
    parts = _split(text)
    if text in ("postfix", "direct", *PROVIDERS):
        return text
    if parts.scheme == "imap" and parts.hostname and parts.username and parts.password:
        return text
    raise Unusable(
        "Write postfix, direct, imap://user:password@host, or one of these providers: "
        + ", ".join(PROVIDERS)
        + "."
    )


def _read_contained_way_in(text: str) -> str:
    if text == "postfix":
        raise Unusable(
            "In containers there is no Postfix: write direct, imap://user:password@host, or a provider."
        )
    return _read_way_in(text)


QUESTIONS = (
    Question("domain", "Name of the site, and of its mail (play.example.org)", "", _read_domain),
    Question("operator", "Your mail address, where troubles are told", "", _read_addresses),
    Question("database", "PostgreSQL", "postgres:///gem", read_database),
    Question("redis", "Redis", "redis://127.0.0.1:6379/0", _read_redis),
    Question("send", "Mail goes out by", "smtp://localhost", _read_relay),
    Question(
        "receive", "Mail comes in by (postfix, direct, imap://…, or a provider)", "postfix", _read_way_in
    ),
)
CONTAINERS = (
    *QUESTIONS[:2],
    Question("send", "Mail goes out by (smtp://user:password@host:587)", "", _read_relay),
    Question(
        "receive", "Mail comes in by (direct, imap://…, or a provider)", "direct", _read_contained_way_in
    ),
)
"""The questions where compose.yaml brings PostgreSQL and Redis."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--domain", help="name of the site, and of its mail")
    parser.add_argument("--operator", help="addresses that are told of trouble, with commas between them")
    parser.add_argument("--database", help="address of PostgreSQL; postgres:///gem")
    parser.add_argument("--redis", help="address of Redis; redis://127.0.0.1:6379/0")
    parser.add_argument(
        "--send", help="relay for mail: smtp://localhost, smtp://user:password@host:587, smtps://…"
    )
    parser.add_argument(
        "--receive", help="way in of mail: postfix, direct, imap://user:password@host, or a provider's name"
    )
    parser.add_argument(
        "--containers",
        action="store_true",
        help="for compose.yaml, which brings its own databases, and no Postfix",
    )
    parser.add_argument(
        "--yes", action="store_true", help="ask nothing; take the usual for what is not named"
    )
    parser.add_argument(
        "--settings-only", action="store_true", help="write the file, and leave the tables for later"
    )


def init(server: Server, options: argparse.Namespace) -> int:
    """Write the file, and make the tables; the exit status."""
    path = server.settings_path
    if server.has_file:
        print(
            f"{path} is there already. Its keys make the addresses in players' mailboxes, so it is left as it is: "
            "edit it, and go on with gemctl prepare, or move it away first.",
            file=sys.stderr,
        )
        return 1
    asks = sys.stdin.isatty() and not options.yes
    try:
        questions = CONTAINERS if options.containers else QUESTIONS
        answers = {question.option: _answer(question, options, asks) for question in questions}
        sections = write_sections(answers)
    except Unusable as error:
        print(error, file=sys.stderr)
        return 2
    except (EOFError, KeyboardInterrupt):
        print("\nNothing is written.", file=sys.stderr)
        return 2
    try:
        write_settings(path, sections, group_of_server())
    except OSError as error:
        advice = "run this as root, or name" if isinstance(error, PermissionError) else "name"
        print(
            f"{path} cannot be written ({error.strerror}); {advice} another with --settings.", file=sys.stderr
        )
        return 1
    print(f"{path} is written. Keep a copy where only you can read it: its keys cannot be made again.")
    if answers["receive"] in PROVIDERS:
        print(f"Fill in what {answers['receive']} needs: docs/operating.md, “From a provider”.")
    if options.containers:
        print("Next: podman build --tag gemserver . and podman-compose up --detach, or docker for podman")
        return 0
    if options.settings_only:
        print("Next: gemctl prepare")
        return 0
    try:
        prepare(server)
    except StepFailed:
        print(f"{path} is whole. When what is said above is mended: gemctl prepare", file=sys.stderr)
        raise
    print("Next: gemctl manage createsuperuser, start the processes, then gemctl doctor")
    return 0


def _answer(question: Question, options: argparse.Namespace, asks: bool) -> str:
    """The usable answer to a question. Raises Unusable where nobody can be asked again."""
    named: str | None = getattr(options, question.option)
    if named is not None or not asks:
        if named is None and not question.default:
            raise Unusable(f"Name --{question.option}. {question.ask}.")
        try:
            return question.read(named or question.default)
        except Unusable as error:
            raise Unusable(f"--{question.option}: {error}") from None
    while True:
        usual = f" [{question.default}]" if question.default else ""
        try:
            return question.read(input(f"{question.ask}{usual}: ").strip() or question.default)
        except Unusable as error:
            print(error)


def write_sections(answers: Mapping[str, str]) -> Sequence[Section]:
    """The sections of the file. Raises Unusable for ways of mail that cannot be."""
    domain = answers["domain"]
    return (
        (
            "Settings of the server, for its processes and gemctl alone. docs/operating.md lists every variable.",
            {"SITE_URL": f"https://{domain}", "ALLOWED_HOSTS": domain, "OPERATORS": answers["operator"]},
        ),
        (
            "Secrets. MAIL_KEY makes all reply addresses: docs/operating.md says how to change a key.",
            {
                name: secrets.token_hex(KEY_BYTES)
                for name in ("SECRET_KEY", "MAIL_KEY", "AUDIT_KEY", "METRICS_TOKEN")
            },
        ),
        ("Data.", _write_data(answers)),
        ("Mail that is sent.", _write_relay(answers["send"])),
        (
            "Mail that is received.",
            {
                "MAIL_DOMAIN": domain,
                **_write_way_in(answers["receive"], domain, contained="database" not in answers),
            },
        ),
    )


def _write_data(answers: Mapping[str, str]) -> dict[str, str]:
    """The addresses of the data; in containers those of compose.yaml, whose two roles get a password each."""
    if "database" in answers:
        return {"DATABASE_URL": answers["database"], "REDIS_URL": answers["redis"]}
    owner, server = secrets.token_hex(KEY_BYTES // 2), secrets.token_hex(KEY_BYTES // 2)
    return {
        "POSTGRES_PASSWORD": owner,
        "GEM_PASSWORD": server,
        "OWNER_DATABASE_URL": f"postgres://gem_owner:{owner}@postgres:5432/gem",
        "DATABASE_URL": f"postgres://gem:{server}@postgres:5432/gem",
        "REDIS_URL": "redis://redis:6379/0",
    }


def _write_relay(address: str) -> dict[str, str]:
    parts = urlsplit(address)
    host = parts.hostname or ""
    is_far = host not in LOOPBACK
    values = {"EMAIL_HOST": host}
    if parts.scheme == "smtps":
        values |= {"EMAIL_PORT": str(parts.port or 465), "EMAIL_USE_SSL": "yes"}
    else:
        values |= {"EMAIL_PORT": str(parts.port or (587 if is_far else 25))}
        if is_far:
            values["EMAIL_USE_TLS"] = "yes"
    if parts.username:
        values |= {
            "EMAIL_HOST_USER": unquote(parts.username),
            "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        }
    return values


def _write_way_in(way: str, domain: str, *, contained: bool) -> dict[str, str]:
    """`contained`: a container's process listens on a port that needs no privilege, which compose.yaml publishes."""
    if way == "postfix":
        return {"MAIL_AUTHSERV_ID": domain}
    if way == "direct":
        return {
            "SMTP_HOST": "0.0.0.0",
            "SMTP_PORT": "2525" if contained else "25",
            "SMTP_PROVES_SENDERS": "yes",
        }
    if way in PROVIDERS:
        return {"MAIL_WEBHOOKS": way, "ANYMAIL_WEBHOOK_SECRET": f"gem:{secrets.token_hex(KEY_BYTES // 2)}"}
    parts = urlsplit(way)
    user = unquote(parts.username or "")
    local, at, host = (user if "@" in user else f"{user}@{domain}").partition("@")
    mailbox = f"{local}{at}{host}"
    if not ADDRESS.fullmatch(mailbox):
        raise Unusable(
            "--receive: name the mailbox by its whole address, imap://gem%40example.org:password@host."
        )
    return {
        "MAIL_DOMAIN": host,
        "IMAP_HOST": parts.hostname or "",
        "IMAP_PORT": str(parts.port or 993),
        "IMAP_USER": user,
        "IMAP_PASSWORD": unquote(parts.password or ""),
        "PLAY_ADDRESS": mailbox,
        "PLAY_REPLY": f"{local}+{{token}}@{host}",
        "ACCOUNT_REPLY": f"{local}+me-{{token}}@{host}",
        "BOUNCE_REPLY": f"{local}+b-{{token}}@{host}",
    }
