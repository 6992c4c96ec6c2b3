"""`manage.py verify_matches`: checks that every match still follows from its moves."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gemserver.matches.locking import lock_match
from gemserver.matches.models import Match
from gemserver.matches.verify import first_difference


class Command(BaseCommand):
    help = (
        "Recompute every match, or those named, from its deal and moves, and name the first ply at which what is "
        "stored differs. Changes nothing. Exit status 1 when something differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("codes", nargs="*", metavar="CODE", help="as M17; default: all that have begun")
        parser.add_argument("--running", action="store_true", help="only those that are not over")

    def handle(self, *, codes: list[str], running: bool, **options: Any) -> None:
        matches = Match.objects.exclude(started_at=None).order_by("pk")
        if codes:
            matches = matches.filter(code__in=codes)
            if missing := set(codes) - set(matches.values_list("code", flat=True)):
                names = ", ".join(sorted(missing))
                raise CommandError(_("There is no match %(names)s that has begun.") % {"names": names})
        if running:
            matches = matches.filter(status=Match.Status.RUNNING)
        pks = list(matches.values_list("pk", flat=True))
        wrong = sum(not self._is_right(pk) for pk in pks)
        if wrong:
            raise CommandError(
                _("%(wrong)d of %(all)d matches differ; rebuild_match makes them right.")
                % {"wrong": wrong, "all": len(pks)}
            )
        self.stdout.write(
            ngettext(
                "%(all)d match: everything follows from its moves.",
                "%(all)d matches: everything follows from their moves.",
                len(pks),
            )
            % {"all": len(pks)}
        )

    def _is_right(self, pk: int) -> bool:
        with transaction.atomic():
            match = lock_match(pk)
            difference = first_difference(match)
        if difference is not None:
            self.stdout.write(f"{match.code} {match.game}, {difference}")
        return difference is None
