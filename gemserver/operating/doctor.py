"""Examines a configured server from inside: settings, data, processes, ways of mail, addresses."""

from __future__ import annotations

import http.client
import re
import shlex
import smtplib
import socket
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from gemserver.lib import clock
from gemserver.lib.process.findings import Finding, examine_each
from gemserver.lib.process.host_lookup import require_lookup
from gemserver.lib.process.units import does_without
from gemserver.matches import uptime
from gemserver.matches.models import Heartbeat
from gemserver.operating import partitions
from gemserver.operating.alarms import OLDEST_BACKUP
from gemserver.operating.backup import age_of_newest
from gemserver.operating.search_indexes import ADVICE, SearchIndex, missing

LEAST_POSTGRES = 14
LEAST_REDIS = (6, 2)
PATIENCE = 5
"""Seconds for each answer from another process or machine."""
MOST_SKEW = 2.0
"""Seconds between two clocks."""
LEAST_DAYS = 14
"""Of a certificate: it should have been renewed long before."""
STILL_AFTER = timedelta(minutes=5)
LMTP_SOCKET = "/run/gem/lmtp"


def examine_server() -> Iterator[Finding]:
    """Everything but the DNS, in the order in which to put it right."""
    checks: dict[str, Callable[[], Iterable[Finding]]] = {
        "settings": _examine_settings,
        "database": _examine_database,
        "migrations": _examine_tables,
    }
    if settings.PRODUCTION:
        checks["Redis"] = _examine_redis
    checks["workers"] = _examine_workers
    if settings.PRODUCTION:
        if not settings.IN_CONTAINERS:
            checks["web"] = _knock
        checks |= {"relay": _examine_relay, "mail in": _examine_way_in, "site": _examine_site}
    if not (does_without("gem-web") and does_without("gem-backup.timer")):
        checks["backup"] = lambda: [_examine_backups()]
    yield from examine_each(checks)


def _examine_settings() -> Iterator[Finding]:
    try:
        problems = run_checks(include_deployment_checks=settings.PRODUCTION, databases=["default"])
    except DatabaseError:
        problems = run_checks(include_deployment_checks=settings.PRODUCTION)
    except ImproperlyConfigured as error:
        yield Finding("settings", "cannot be checked", str(error))
        return
    wrong = [problem for problem in problems if not problem.is_silenced()]
    for problem in wrong:
        yield Finding("settings", str(problem.id), problem.hint or str(problem.msg))
    if not wrong:
        yield Finding("settings", f"for {settings.SITE_URL}, mail to {settings.MAIL_DOMAIN}")


def _examine_database() -> Iterator[Finding]:
    try:
        with connection.cursor() as cursor:
            yield from _ask_database(cursor)
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        yield Finding("database", f"does not answer: {reason}", _advise_on_database(reason))


def _advise_on_database(reason: str) -> str:
    """The advice for an error of PostgreSQL, if its English text is known."""
    quoted = re.search(r'(role|database) "([^"]*)" does not exist', reason)
    if quoted and quoted[1] == "role":
        return f"runuser -u postgres -- createuser {shlex.quote(quoted[2])}, or correct DATABASE_URL."
    if quoted:
        return (
            f"runuser -u postgres -- createdb --owner gem_owner {shlex.quote(quoted[2])}; gemctl prepare; or correct "
            "DATABASE_URL."
        )
    if "authentication failed" in reason:
        return "Correct user and password in DATABASE_URL, or what pg_hba.conf asks of them."
    return (
        "Start PostgreSQL, or correct DATABASE_URL; with another port than 5432 (pg_lsclusters shows it): "
        "postgres:///gem?port=5433."
    )


def _examine_tables() -> Iterator[Finding]:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        if connection.connection is None:
            return  # which was told of the database
        reason = str(error).partition("\n")[0]
        yield Finding("migrations", f"cannot be read: {reason}", "Run gemctl prepare, which grants it.")
        return
    advice = _in_place("Run gemctl prepare.", "make play, or manage.py migrate.") if plan else ""
    yield Finding("migrations", f"{len(plan)} are missing" if plan else "all are applied", advice)
    if not plan and connection.vendor == "postgresql":
        yield from examine_each(
            {
                "search": lambda: [_examine_search(missing(connection))],
                "partitions": lambda: [_examine_partitions(partitions.missing(clock.now()))],
            }
        )


def _in_place(installed: str, embedded: str) -> str:
    """The advice for a server with systemd and gemctl, or for the embedded one."""
    return embedded if settings.EMBEDDED else installed


def _examine_search(absent: list[SearchIndex]) -> Finding:
    """Say if moderators' lists have to be searched by reading tables, and what to do."""
    if not absent:
        return Finding("search", "moderators' lists are searched by index")
    names = ", ".join(index.name for index in absent)
    return Finding("search", f"not there: {names}", ADVICE)


def _examine_partitions(absent: list[str]) -> Finding:
    """Say if workers have not made the partitions of the present and the next month."""
    if not absent:
        return Finding("partitions", "made ahead of time")
    advice = (
        "gemctl manage --as-owner keep_partitions puts what somebody has taken away back."
        if any(name.endswith("_default") for name in absent)
        else "Look whether gem-worker and gem-beat run; then gemctl manage keep_partitions says what it does."
    )
    return Finding("partitions", f"not there: {', '.join(absent)}", advice)


def _ask_database(cursor: Any) -> Iterator[Finding]:
    if connection.vendor != "postgresql":
        yield Finding("database", "SQLite, of the embedded server")
        return
    cursor.execute(
        "SELECT current_setting('server_version_num')::int, current_setting('server_version'), clock_timestamp(), "
        "pg_size_pretty(pg_database_size(current_database())), current_setting('max_connections')::int, "
        "(SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'), "
        "ARRAY(SELECT name FROM pg_settings WHERE setting = 'off' "
        "AND name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name)"
    )
    number, version, its_time, size, most, used, off = cursor.fetchone()
    old = number // 10_000 < LEAST_POSTGRES
    yield Finding(
        "database",
        f"PostgreSQL {version.split()[0]}, {size}",
        f"Move to PostgreSQL {LEAST_POSTGRES} or newer: gemctl backup, then gemctl restore." if old else "",
    )
    yield _compare_clocks("PostgreSQL", its_time.timestamp())
    yield Finding(
        "durability",
        f"PostgreSQL runs with {', '.join(off)} off" if off else "PostgreSQL waits for the disk",
        f"Set {', '.join(off)} to on, or a power cut takes moves that players were told of." if off else "",
    )
    scarce = used > most * 0.8
    yield Finding(
        "connections",
        f"{used} of {most} are in use",
        "Raise max_connections of PostgreSQL, or put a pooler before it (docs/scaling.md)." if scarce else "",
    )


def _compare_clocks(whose: str, its_time: float) -> Finding:
    skew = abs(its_time - time.time())
    advice = "Set both by the network (chrony, systemd-timesyncd): deadlines follow from them."
    return Finding("clocks", f"{skew:.1f} s from {whose}'s", advice if skew > MOST_SKEW else "")


def _examine_redis() -> Iterator[Finding]:
    advice = (
        "Start Redis, or correct REDIS_URL. Until then moves count, but mail and deadlines wait for a sweep."
    )
    try:
        client = redis.Redis.from_url(
            settings.CELERY_BROKER_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
        )
        about: Any = client.info("server")
        seconds, micros = client.time()
        policy = _ask_policy(client)
    except (redis.RedisError, OSError) as error:
        yield Finding("Redis", f"does not answer: {error}", advice)
        return
    except ValueError:  # whose words may quote the password
        yield Finding("Redis", "cannot be asked: REDIS_URL is no address", advice)
        return
    version = str(about["redis_version"])
    old = tuple(map(int, version.split(".")[:2])) < LEAST_REDIS
    yield Finding(
        "Redis", version, f"Install Redis {'.'.join(map(str, LEAST_REDIS))} or newer." if old else ""
    )
    yield _compare_clocks("Redis", seconds + micros / 1e6)
    if policy not in ("noeviction", ""):
        yield Finding(
            "Redis",
            f"maxmemory-policy {policy}",
            "Set maxmemory-policy noeviction: it may throw away what wakes the workers.",
        )


def _ask_policy(client: Any) -> str:
    """The policy where memory is short; empty where the server does not tell."""
    try:
        return str(client.config_get("maxmemory-policy").get("maxmemory-policy", ""))
    except redis.ResponseError:
        return ""


def _examine_workers() -> Iterator[Finding]:
    now = clock.now()
    try:
        beats = dict(Heartbeat.objects.values_list("duty", "at"))
    except DatabaseError:
        return
    if until := uptime.doubted_until(now):
        yield Finding(
            "clock",
            f"went ahead by more than {uptime.LEAP.days} days at once; nothing old is deleted before {until:%Y-%m-%d}",
            "Put the date right if it is wrong; if it is right, nothing need be done.",
        )
    swept = beats.get(Heartbeat.Duty.SWEEP)
    if swept is None:
        advice = _in_place(
            "Start gem-worker and gem-beat, or wait a minute if they have just begun.",
            "make play starts all there is.",
        )
        yield Finding("workers", "have never swept", advice)
    else:
        is_still = now - swept > STILL_AFTER
        advice = (
            _in_place(
                "Look whether gem-beat, gem-worker and Redis run; all clocks stand meanwhile.",
                "make play starts all there is; all clocks stand meanwhile.",
            )
            if is_still
            else ""
        )
        yield Finding("workers", f"swept {say_age(now - swept)} ago", advice)


def _knock() -> Iterator[Finding]:
    """Look whether the web and the waiting process listen."""
    try:
        from gemserver.gunicorn import bind
    except ImproperlyConfigured as error:
        yield Finding("web", "cannot start", str(error))
        return
    host, _, port = bind.rpartition(":")
    for name, unit, place in (
        ("web", "gem-web", int(port)),
        ("waiting", "gem-waiting", settings.WAITING_PORT),
    ):
        if does_without(unit):
            yield Finding(name, f"this machine does without {unit}")
            continue
        listens = _listens(host, place)
        found = f"listens at {host}:{place}" if listens else f"nobody listens at {host}:{place}"
        yield Finding(
            name, found, "" if listens else f"Start {unit}; journalctl -u {unit} says why it ended."
        )


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=PATIENCE):
            return True
    except (OSError, UnicodeError):  # the latter for what can be no name of a host
        return False


def _examine_relay() -> Iterator[Finding]:
    if settings.EMAIL_BACKEND != "django.core.mail.backends.smtp.EmailBackend":
        yield Finding("relay", settings.EMAIL_BACKEND)
        return
    place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    advice = "Start the relay, or correct EMAIL_HOST, EMAIL_PORT, EMAIL_USE_… and the password; mail waits meanwhile."
    make = smtplib.SMTP_SSL if settings.EMAIL_USE_SSL else smtplib.SMTP
    try:
        require_lookup(settings.EMAIL_HOST, PATIENCE)
        with make(settings.EMAIL_HOST, settings.EMAIL_PORT, timeout=PATIENCE) as relay:
            relay.ehlo_or_helo_if_needed()
            if settings.EMAIL_USE_TLS:
                relay.starttls(context=ssl.create_default_context())
            if settings.EMAIL_HOST_USER:
                relay.login(settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD)
    except (OSError, smtplib.SMTPException) as error:
        yield Finding("relay", f"{place}: {error}", advice)
        return
    except UnicodeError:  # whose words quote the password
        yield Finding(
            "relay", f"{place}: host, user or password have characters that SMTP cannot carry", advice
        )
        return
    yield Finding("relay", f"{place} takes mail")


def _examine_way_in() -> Iterator[Finding]:
    """The way that the settings tell; a server behind a mail server is looked at where that would hand mail over."""
    if settings.MAIL_WEBHOOKS:
        yield Finding("mail in", f"posted by {', '.join(settings.MAIL_WEBHOOKS)}")
        return
    if settings.IMAP_HOST:
        found = f"{settings.IMAP_HOST}:{settings.IMAP_PORT}"
        is_there = _listens(settings.IMAP_HOST, settings.IMAP_PORT)
        yield Finding(
            "mail in", found, "" if is_there else "The mailbox's server does not answer; see IMAP_HOST."
        )
        return
    if settings.IN_CONTAINERS:
        yield Finding("mail in", "by another container, which is not looked at from here")
        return
    if _takes_lmtp():
        yield Finding("mail in", f"{LMTP_SOCKET} takes mail")
        return
    host = "127.0.0.1" if settings.SMTP_HOST == "0.0.0.0" else settings.SMTP_HOST
    if _listens(host, settings.SMTP_PORT):
        yield Finding("mail in", f"{settings.SMTP_HOST}:{settings.SMTP_PORT} takes mail")
    elif does_without("gem-mail"):
        yield Finding("mail in", "this machine does without gem-mail")
    else:
        found = f"nobody listens at {LMTP_SOCKET} or {settings.SMTP_HOST}:{settings.SMTP_PORT}"
        yield Finding("mail in", found, "Start gem-mail; answers by mail wait at Postfix, or come back.")


def _takes_lmtp() -> bool:
    with socket.socket(socket.AF_UNIX) as knock:
        knock.settimeout(PATIENCE)
        try:
            knock.connect(LMTP_SOCKET)
        except PermissionError:
            return True
        except OSError:
            return False
        return True


def _examine_site() -> Iterator[Finding]:
    """Ask for the site as visitors do."""
    parts = urlsplit(settings.SITE_URL)
    try:
        with urllib.request.urlopen(f"{settings.SITE_URL}/readyz", timeout=PATIENCE) as answer:
            text = answer.read(1000).decode(errors="replace").strip()
    except (OSError, ValueError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        yield Finding(
            "site",
            f"{settings.SITE_URL}: {reason}",
            "Look at the name in the DNS, the certificate, the proxy (nginx -t) and gem-web.",
        )
        return
    advice = "" if text == "ready" else "See docs/operating.md, “Whether it runs”."
    yield Finding("site", f"{settings.SITE_URL} is {' '.join(text.split())}", advice)
    if parts.scheme == "https":
        yield from _examine_certificate(parts.hostname or "", parts.port or 443)


def _examine_certificate(host: str, port: int) -> Iterator[Finding]:
    try:
        with (
            socket.create_connection((host, port), timeout=PATIENCE) as plain,
            ssl.create_default_context().wrap_socket(plain, server_hostname=host) as wrapped,
        ):
            about = wrapped.getpeercert() or {}
    except OSError:
        return  # the page was read a moment ago
    end = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(about["notAfter"])), UTC)
    days = (end - datetime.now(UTC)).days
    advice = (
        "Renew it: certbot renew; and see why that did not happen by itself." if days < LEAST_DAYS else ""
    )
    yield Finding("certificate", f"good for {days} days", advice)


def _examine_backups() -> Finding:
    folder = settings.BACKUP_DIR
    try:
        age = age_of_newest(folder, datetime.now(UTC))
    except OSError as error:
        return Finding(
            "backup", f"{folder}: {error.strerror}", "Let the server's user read it, or set BACKUP_DIR."
        )
    if age is None:
        elsewhere = _age_of_noted_backup()
        if elsewhere is not None and elsewhere <= OLDEST_BACKUP:
            return Finding("backup", f"the newest was written elsewhere {say_age(elsewhere)} ago")
        advice = _in_place(
            "On the machine itself, each night: podman-compose exec -T web gemctl backup - > FILE"
            if settings.IN_CONTAINERS
            else "gemctl backup; and enable gem-backup.timer for one each night.",
            "manage.py backup makes one.",
        )
        return Finding("backup", f"none in {folder}", advice)
    advice = (
        _in_place(
            "gemctl backup; and see why the last ones failed: journalctl -u gem-backup.",
            "manage.py backup makes one.",
        )
        if age > OLDEST_BACKUP
        else ""
    )
    return Finding("backup", f"the newest in {folder} is {say_age(age)} old", advice)


def _age_of_noted_backup() -> timedelta | None:
    """How long ago a backup was made, wherever it lies; None if that is not known."""
    try:
        at = Heartbeat.objects.filter(duty=Heartbeat.Duty.BACKUP).values_list("at", flat=True).first()
    except DatabaseError:
        return None
    return None if at is None else clock.now() - at


def say_age(age: timedelta) -> str:
    seconds = max(0, int(age.total_seconds()))
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
