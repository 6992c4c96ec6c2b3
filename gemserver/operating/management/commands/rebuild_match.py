"""`manage.py rebuild_match`: repairs a match from its moves."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from gemserver.lib import clock
from gemserver.matches.actions.play.rebuild_match import rebuild_match
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


class Command(BaseCommand):
    help = (
        "Recompute position, events, scores and who is waited for of these matches from their deal and moves. "
        "Whoever is waited for and was not asked gets a mail."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("codes", nargs="+", metavar="CODE", help="as M17")

    def handle(self, *, codes: list[str], **options: Any) -> None:
        for code in codes:
            pk = Match.objects.filter(code=code).values_list("pk", flat=True).first()
            if pk is None:
                raise CommandError(_("There is no match %(code)s.") % {"code": code})
            try:
                difference = rebuild_match(pk, now=clock.now())
            except Refused as refusal:
                raise CommandError(refusal.text()) from refusal
            found = difference or _("everything was right")
            self.stdout.write(f"{code}: {found}")
