"""System checks: refuse a configuration that would make a production server unsafe or useless.

Management commands run them by themselves, `wsgi.py` before the first request, and a deploy should run `manage.py check
--deploy --database default`. The ids are stable.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import get_connection
from django.db import connections
from django.http.request import validate_host

from gemserver.lib.outbound import wrong_exemptions
from gemserver.lib.process.loopback import is_loopback
from gemserver.lib.process.start_checks import RULES
from gemserver.lib.signing import TOKEN_LENGTH
from gemserver.lib.text.legal_texts import find_faults
from gemserver.lib.text.mail_address import comparable
from gemserver.mailgate.addresses import MAX_ADDRESS, MAX_LOCAL, is_own_address
from gemserver.mailgate.receivers.proof import is_possible
from gemserver.mailgate.receivers.webhooks import unguarded_providers

MODES = ("production", "embedded", "test")
SHORTEST_KEY = 50
SHORTEST_TOKEN = 20
FEWEST_CHARACTERS = 5
"""Different ones in a key; Django's own limit, like the length above."""
STEPS_OF_SENDING = 4
"""Steps of an SMTP conversation, in each of which a relay may be silent for EMAIL_TIMEOUT: greeting, sender, recipient,
data."""
_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
SILENT_BACKENDS = ("console", "dummy", "filebased", "locmem", "anymail.backends.test")


@dataclass(frozen=True, slots=True)
class Rule:
    """One condition of a sound configuration; `advice` says what is wrong and what to set."""

    id: str
    holds: Callable[[], bool]
    advice: str


def _strong(name: str) -> bool:
    try:
        key = getattr(settings, name)
    except ImproperlyConfigured:  # raised by Django for an empty SECRET_KEY
        return False
    return _is_strong(key)


def _is_strong(key: str, least: int = SHORTEST_KEY) -> bool:
    return len(key) >= least and len(set(key)) >= FEWEST_CHARACTERS


def _earlier_keys_are_apart() -> bool:
    """True if all earlier keys are strong, and each differs from the present keys and from every other earlier one."""
    earlier = [*settings.SECRET_KEY_FALLBACKS, *settings.MAIL_KEY_FALLBACKS]
    present = {getattr(settings, name) for name in ("SECRET_KEY", "MAIL_KEY") if _strong(name)}
    return all(map(_is_strong, earlier)) and len(set(earlier)) == len(earlier) and present.isdisjoint(earlier)


def _is_allowed_site() -> bool:
    host = (urlsplit(settings.SITE_URL).hostname or "") if settings.SITE_URL.startswith("https://") else ""
    # Other mistakes in either setting have rules of their own.
    return not host or not settings.ALLOWED_HOSTS or validate_host(host, settings.ALLOWED_HOSTS)


def _is_site(url: str) -> bool:
    """True for `https://` and a host, and at most a port behind it."""
    try:
        parts = urlsplit(url)
        return (
            bool(parts.hostname) and parts.port != 0 and url == f"https://{parts.netloc}" and "@" not in url
        )
    except ValueError:
        return False


def _is_address(address: str) -> bool:
    """True if a mail can be written to it: a local part, and a domain whose labels nothing else separates."""
    return bool(_ADDRESS.fullmatch(comparable(address)))


def _claim_outlives_sending() -> bool:
    """True if a mail's claim outlasts its sending; the time limit of that task follows the claim."""
    return bool(settings.CLAIM_SECONDS >= STEPS_OF_SENDING * settings.EMAIL_TIMEOUT)


def _passwords_travel_encrypted() -> bool:
    """True if no password of a mail server crosses a network in clear."""
    is_by_smtp = settings.EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend"
    is_sent = is_by_smtp and settings.EMAIL_HOST_PASSWORD and not is_loopback(settings.EMAIL_HOST)
    is_read = settings.IMAP_PASSWORD and settings.IMAP_HOST and not is_loopback(settings.IMAP_HOST)
    is_bare = is_sent and not (settings.EMAIL_USE_TLS or settings.EMAIL_USE_SSL)
    return not is_bare and not (is_read and settings.IMAP_TLS not in {"yes", "starttls"})


def _reply_addresses_fit() -> bool:
    templates = (settings.PLAY_REPLY, settings.ACCOUNT_REPLY, settings.BOUNCE_REPLY)
    return all(_fits(template) for template in templates)


def _fits(template: str) -> bool:
    """True if the address, with a token in it, is within the limits of RFC 5321 §4.5.3.1."""
    if template.count("{token}") != 1 or template.count("@") != 1:
        return False
    address = template.replace("{token}", "a" * TOKEN_LENGTH)
    local, _, domain = address.partition("@")
    return len(local.encode()) <= MAX_LOCAL and len(address.encode()) <= MAX_ADDRESS and bool(domain)


def _push_keys_are_good() -> bool:
    keys = [*filter(None, [settings.VAPID_KEY]), *settings.VAPID_KEY_FALLBACKS]
    if not keys:
        return True
    from gemserver.lib.web_push import is_key

    return all(map(is_key, keys))


ALWAYS = (
    Rule(
        "gemserver.E001",
        lambda: settings.MODE in MODES,
        f"GEMSERVER_MODE is none of {', '.join(MODES)}; leave it unset in production.",
    ),
    Rule(
        "gemserver.E002",
        _reply_addresses_fit,
        "PLAY_REPLY, ACCOUNT_REPLY and BOUNCE_REPLY must be addresses with one {token} in them, at most 64 octets "
        f"before the @ and 254 in all once the token's {TOKEN_LENGTH} are filled in; shorten them.",
    ),
    Rule(
        "gemserver.E036",
        lambda: all(map(_is_address, (settings.PLAY_ADDRESS, *settings.OPERATORS))),
        "PLAY_ADDRESS or OPERATORS has what is no address; write play@play.example.org, and in OPERATORS several of "
        "people, separated by commas. Whatever goes to another one is lost.",
    ),
    Rule(
        "gemserver.E034",
        lambda: not wrong_exemptions(settings.HOOK_HOSTS),
        "HOOK_HOSTS has an entry that cannot be read; write hosts and networks, each with its port if that is neither "
        "443 nor 80: matrix.lan, 10.1.2.3:8080, 10.1.0.0/16, [fd00::/8]:8448.",
    ),
    Rule(
        "gemserver.E035",
        _push_keys_are_good,
        "VAPID_KEY or VAPID_KEY_FALLBACKS has what is no key; make one with manage.py make_vapid_key.",
    ),
    Rule(
        "gemserver.E038",
        lambda: not any(find_faults()),
        "LEGAL_DIR names no folder that this process can read with imprint.en.md, imprint.de.md, imprint.fr.md or the "
        "same of privacy in it, or one of them is empty or no UTF-8; without them the site has no such pages.",
    ),
)

IN_PRODUCTION = (
    Rule(
        "gemserver.E003",
        lambda: _strong("SECRET_KEY"),
        "SECRET_KEY is missing or weak; set it to 50 random characters or more and keep it secret.",
    ),
    Rule(
        "gemserver.E004",
        lambda: (
            _strong("MAIL_KEY") and (not _strong("SECRET_KEY") or settings.MAIL_KEY != settings.SECRET_KEY)
        ),
        "MAIL_KEY is missing, weak or the same as SECRET_KEY; set it to 50 other random characters. "
        "It makes the reply addresses: when it changes, name the former one in MAIL_KEY_FALLBACKS.",
    ),
    Rule(
        "gemserver.E030",
        lambda: (
            not settings.AUDIT_KEY
            or (
                _strong("AUDIT_KEY")
                and settings.AUDIT_KEY != settings.MAIL_KEY
                and (not _strong("SECRET_KEY") or settings.AUDIT_KEY != settings.SECRET_KEY)
            )
        ),
        "AUDIT_KEY is weak or the same as another key; set it to 50 other random characters, or leave it unset.",
    ),
    Rule(
        "gemserver.E005",
        lambda: bool(settings.ALLOWED_HOSTS) and "*" not in settings.ALLOWED_HOSTS,
        "ALLOWED_HOSTS is empty or allows every host; set it to the host names of the site.",
    ),
    Rule(
        "gemserver.E006",
        lambda: settings.CELERY_BROKER_URL.startswith(("redis://", "rediss://")),
        "REDIS_URL is missing or no Redis; set it to redis://host:6379/0, or to rediss://… for TLS. Workers "
        "in other processes would never hear of what is to be done.",
    ),
    Rule(
        "gemserver.E007",
        lambda: settings.DATABASE_URL.startswith(("postgres://", "postgresql://")),
        "DATABASE_URL is missing or no PostgreSQL; set it to postgres://user:password@host:5432/name. SQLite has "
        "one writer at a time and is for the embedded server.",
    ),
    Rule(
        "gemserver.E008",
        lambda: (
            not settings.MAIL_DOMAIN.endswith("localhost") and _is_address(f"play@{settings.MAIL_DOMAIN}")
        ),
        "MAIL_DOMAIN is not set, or no domain; set it to the domain whose mail reaches this server, such as "
        "play.example.org. Nobody could answer a mail.",
    ),
    Rule(
        "gemserver.E009",
        lambda: not any(name in settings.EMAIL_BACKEND for name in SILENT_BACKENDS),
        "EMAIL_BACKEND sends nothing; set it to Django's smtp backend or to one of Anymail's providers.",
    ),
    Rule(
        "gemserver.E010",
        lambda: settings.MAIL_AUTH in {"normal", "strict"},
        "MAIL_AUTH must be normal or strict; with anything else everybody who learns a reply address could play.",
    ),
    Rule(
        "gemserver.E011",
        lambda: _is_site(settings.SITE_URL),
        "SITE_URL must begin with https:// and name the site, with a port if need be and nothing more; every link in a "
        "mail begins with it.",
    ),
    Rule(
        "gemserver.E016",
        lambda: settings.CLOCK_OFFSET == 0,
        "CLOCK_OFFSET is not 0, so that every clock is wrong; it is for tests, leave it unset.",
    ),
    Rule(
        "gemserver.E013",
        lambda: not unguarded_providers(),
        "MAIL_WEBHOOKS names a provider that Anymail does not know, or one without the secret that shows who posts: "
        "set its signing key, or ANYMAIL_WEBHOOK_SECRET=name:password with 20 characters or more, and what else "
        "docs/operating.md names for it, with requirements/mail.txt installed.",
    ),
    Rule(
        "gemserver.E014",
        lambda: not any(is_own_address(address) for address in settings.OPERATORS),
        "OPERATORS names an address of this server's own; name a person's mailbox. Mail to postmaster is sent there, "
        "and would come round again.",
    ),
    Rule(
        "gemserver.E015",
        lambda: not settings.SMTP_PROVES_SENDERS or is_possible(),
        "SMTP_PROVES_SENDERS needs packages that are not installed: pip install --require-hashes "
        "-r requirements.txt -r requirements/mail.txt",
    ),
    Rule(
        "gemserver.E028",
        lambda: (
            not settings.MAIL_AUTHSERV_ID
            or (is_loopback(settings.SMTP_HOST) and not settings.SMTP_PROVES_SENDERS)
        ),
        "MAIL_AUTHSERV_ID names a mail server in front, but SMTP_HOST or SMTP_PROVES_SENDERS let the mail process take "
        "mail from the internet itself, where nobody takes out the Authentication-Results that senders have written. "
        "Without such a server leave MAIL_AUTHSERV_ID empty and set SMTP_PROVES_SENDERS=yes; with one let it hand mail "
        "over by LMTP, leave SMTP_HOST at 127.0.0.1 and SMTP_PROVES_SENDERS unset.",
    ),
    Rule(
        "gemserver.E029",
        lambda: bool(re.fullmatch(r"[A-Za-z0-9._-]*", settings.MAIL_AUTHSERV_ID)),
        "MAIL_AUTHSERV_ID must be the name alone with which your mail server begins its Authentication-Results, such "
        "as mx.example.org; fields under any other name are not believed.",
    ),
    Rule(
        "gemserver.E020",
        lambda: not settings.METRICS_TOKEN or _is_strong(settings.METRICS_TOKEN, SHORTEST_TOKEN),
        f"METRICS_TOKEN can be guessed; set it to {SHORTEST_TOKEN} random characters or more, or leave it unset.",
    ),
    Rule(
        "gemserver.E021",
        _is_allowed_site,
        "SITE_URL names a host that ALLOWED_HOSTS does not; every link in a mail would be refused. Add its host name.",
    ),
    Rule(
        "gemserver.E022",
        _claim_outlives_sending,
        f"CLAIM_SECONDS is shorter than sending a mail can take; set it to {STEPS_OF_SENDING} times EMAIL_TIMEOUT or "
        "more. A second worker would send the same mail meanwhile.",
    ),
    Rule(
        "gemserver.E023",
        _passwords_travel_encrypted,
        "EMAIL_HOST_PASSWORD or IMAP_PASSWORD would travel without encryption; set EMAIL_USE_TLS=yes or "
        "EMAIL_USE_SSL=yes, and IMAP_TLS=yes or starttls.",
    ),
    Rule(
        "gemserver.E024",
        lambda: "amazon_ses" not in settings.MAIL_WEBHOOKS or bool(settings.SES_TOPICS),
        "MAIL_WEBHOOKS has amazon_ses, but SES_TOPICS is empty; name the topics (ARN) whose posts count. Anybody who "
        "learns the address could post from a topic of their own.",
    ),
    Rule(
        "gemserver.E025",
        _earlier_keys_are_apart,
        "SECRET_KEY_FALLBACKS or MAIL_KEY_FALLBACKS has a key that is weak, named twice, or in use as SECRET_KEY or "
        "MAIL_KEY; name former keys alone.",
    ),
    Rule(
        "gemserver.E026",
        lambda: (settings.ALLAUTH_TRUSTED_PROXY_COUNT > 0) == settings.BEHIND_PROXY,
        "PROXY_COUNT and BEHIND_PROXY disagree; without a proxy PROXY_COUNT is 0, behind one it is 1 or more. Visitors "
        "could choose their address, or would all share one.",
    ),
)


@register(Tags.security)
def check_configuration(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report the rules that this configuration breaks."""
    rules = (*ALWAYS, *IN_PRODUCTION) if settings.PRODUCTION else ALWAYS
    return [Error(rule.advice, id=rule.id) for rule in rules if not rule.holds()]


@register(Tags.security, deploy=True)
def check_sending(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report a way of sending mail that cannot be set up; a worker would learn it with the first mail."""
    try:
        get_connection()
    except Exception as error:  # whatever a backend of others thinks of its settings
        advice = (
            f"EMAIL_BACKEND, or a setting that it needs, is wrong, so that no mail could be sent: {error}"
        )
        return [Error(advice, id="gemserver.E037")]
    return []


@register(Tags.security, deploy=True)
def check_broker(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Report a REDIS_URL by which no Redis can be asked; a process would learn it when it connects."""
    url = settings.CELERY_BROKER_URL
    if not url.startswith(("redis://", "rediss://")):
        return []  # which a rule tells
    try:
        _read_broker(url)
    except Exception as error:  # whatever its clients think of their options
        advice = (
            f"REDIS_URL cannot be used: {error}. Behind its host stands the number of a database, and with rediss:// "
            "?ssl_ca_certs=FILE, a file with certificates (PEM) that the server's user may read."
        )
        return [Error(advice, id="gemserver.E039")]
    return []


def _read_broker(url: str) -> None:
    """Prepare a connection to the broker as both of its clients do; raises what they raise, and OSError for files."""
    from kombu.connection import Connection
    from redis import ConnectionPool

    if not re.fullmatch(r"/?[0-9]*", urlsplit(url).path):
        raise ValueError("its database is no number")
    Connection(url)  # type: ignore[no-untyped-call]
    pool = ConnectionPool.from_url(url, **(settings.CELERY_BROKER_USE_SSL or {}))
    pool.make_connection()
    options = pool.connection_kwargs
    files = [options[name] for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile") if options.get(name)]
    try:
        context = ssl.create_default_context(cafile=options.get("ssl_ca_certs"))
        if options.get("ssl_certfile"):
            context.load_cert_chain(options["ssl_certfile"], options.get("ssl_keyfile"))
    except OSError as error:
        raise OSError(f"{' or '.join(files)}: {error}") from error


@register(Tags.security)
def check_games(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Names in GAMES under which no game could be loaded."""
    from gemserver.matches.offered.offered_games import refused

    errors: list[CheckMessage] = [
        Error(
            f"GAMES names “{slug}”, which cannot be offered: {why}",
            hint="Install its package into the .venv of the server (docs/operating.md), put it right, or take its "
            "name out of GAMES.",
            id="gemserver.E031",
        )
        for slug, why in refused.items()
    ]
    if not settings.GAMES:
        errors.append(Error("GAMES names no game; leave it out to offer the five.", id="gemserver.E031"))
    return errors


@register(RULES, Tags.database)
def check_rules_versions(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Report running matches and open tables whose version of the rules is gone from this code."""
    from games import registry
    from gemserver.matches.models import Match

    if "default" not in (databases or ()) or Match._meta.db_table not in _tables():
        return []
    known = {(slug, game.rules.meta.version) for slug, game in registry.GAMES.items()}
    unfinished = Match.objects.filter(status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    used = unfinished.order_by().values_list("game", "rules_version").distinct()
    return [
        Error(
            f"A match that is not over uses version {version} of {slug}, which no package that GAMES names offers; "
            f"install one that does, or let these matches come to an end first.",
            id="gemserver.E012",
        )
        for slug, version in sorted(set(used) - known)
    ]


@register(Tags.database)
def check_mail_key(
    app_configs: Sequence[Any] | None, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Report rows whose tokens were not made under MAIL_KEY: nobody could answer a new mail."""
    from gemserver.accounts.models import EarlierToken
    from gemserver.operating.mail_key import is_up_to_date

    if "default" not in (databases or ()) or EarlierToken._meta.db_table not in _tables() or is_up_to_date():
        return []
    advice = (
        "MAIL_KEY was changed: name the former one in MAIL_KEY_FALLBACKS and run manage.py rotate_mail_key."
    )
    return [Error(advice, id="gemserver.E027")]


def _tables() -> list[str]:
    return connections["default"].introspection.table_names()


def require_servable() -> None:
    """Raise ImproperlyConfigured where a web server must not run: unsafe, or the embedded mode.

    The embedded server's one-click sign-in is safe only where `play` runs it, on the loopback interface.
    """
    if settings.EMBEDDED:
        raise ImproperlyConfigured(
            "The embedded mode is served by `make play` alone; set GEMSERVER_MODE=production."
        )
    errors = [*check_configuration(None), *check_games(None)]
    if errors:
        raise ImproperlyConfigured(
            "\n".join(["This configuration is unsafe:", *(str(error) for error in errors)])
        )


def require_pages() -> None:
    """Raise ImproperlyConfigured where the files of the pages were not collected, so that each would be a 500."""
    if not _has_files_of_pages():
        raise ImproperlyConfigured(
            f"The files of the pages are not in {settings.STATIC_ROOT} (STATIC_ROOT), so that no page could be shown: "
            "run gemctl prepare, or manage.py collectstatic."
        )


def _has_files_of_pages() -> bool:
    """True if `collectstatic` has left its list of files, or the storage needs none."""
    try:
        return bool(getattr(staticfiles_storage, "hashed_files", True))
    except (OSError, ValueError):
        return False
