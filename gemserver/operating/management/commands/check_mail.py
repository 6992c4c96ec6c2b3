"""`manage.py check_mail`: checks that DNS and settings let our mail arrive, and mail to us."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gemserver.lib.process.findings import Finding
from gemserver.operating.mail_dns import NoAnswer, Records, Sender, examine

SMTP_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


class Command(BaseCommand):
    help = (
        "Ask the DNS for the MX, SPF, DKIM, DMARC and PTR records of MAIL_DOMAIN, and say what is missing and "
        "what to do. Exit status 1 when something is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--domain", default=settings.MAIL_DOMAIN, help="default: MAIL_DOMAIN")
        parser.add_argument(
            "--selector",
            action="append",
            default=[],
            help="name of a DKIM key; may be repeated; default: MAIL_DKIM_SELECTORS",
        )
        parser.add_argument(
            "--address",
            action="append",
            default=[],
            type=ip_address,
            help="from which mail leaves; may be repeated; default: those of the MX hosts, if this machine sends",
        )
        parser.add_argument(
            "--nameserver", default="", help="ADDRESS or ADDRESS:PORT; default: the machine's own"
        )

    def handle(
        self, *, domain: str, selector: list[str], address: list[Any], nameserver: str, **options: Any
    ) -> None:
        sender = Sender(
            domain=domain.lower().rstrip("."),
            selectors=selector or settings.MAIL_DKIM_SELECTORS,
            sends_itself=bool(address) or _sends_itself(),
            addresses=address,
        )
        try:
            findings = [*_examine_settings(domain), *examine(Records(*_read_nameserver(nameserver)), sender)]
        except NoAnswer as error:
            raise CommandError(
                _("The DNS cannot be asked: %(error)s. Try again later.") % {"error": error}
            ) from error
        for finding in findings:
            self.stdout.write(finding.write())
        bad = sum(not finding.is_good for finding in findings)
        if bad:
            raise CommandError(
                ngettext("%(count)d thing is to be done.", "%(count)d things are to be done.", bad)
                % {"count": bad}
            )
        self.stdout.write(_("Everything is as it should be."))


def _read_nameserver(text: str) -> tuple[str, int]:
    """Raises CommandError."""
    host, _colon, port = text.rpartition(":") if text.count(":") == 1 else (text, "", "")
    try:
        if host:
            ip_address(host)
        number = int(port or 53)
    except ValueError:
        number = 0
    if not 0 < number < 65_536:
        raise CommandError(f"--nameserver {text}: write ADDRESS or ADDRESS:PORT.")
    return host, number


def _sends_itself() -> bool:
    return settings.EMAIL_BACKEND == SMTP_BACKEND and settings.EMAIL_HOST in OWN_HOSTS


def _examine_settings(domain: str) -> list[Finding]:
    """Check that the addresses in our mails are of the domain that is looked up."""
    findings = []
    for name in ("PLAY_ADDRESS", "PLAY_REPLY", "ACCOUNT_REPLY"):
        value = getattr(settings, name)
        advice = ""
        if value.rpartition("@")[2].lower() != domain.lower():
            advice = _("Set it to an address of %(domain)s, or look up its own domain with --domain.") % {
                "domain": domain
            }
        findings.append(Finding(name, value, advice))
    return findings
