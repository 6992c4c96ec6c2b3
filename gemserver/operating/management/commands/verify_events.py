"""`manage.py verify_events`: checks that seasons that are over still follow from the records of their matches."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gemserver.events.models import Season
from gemserver.events.verify import find_faults


class Command(BaseCommand):
    help = (
        "Recompute the deals, results and final tables of every season that is over, or of the events named, and name "
        "what differs from what is stored. Changes nothing. Exit status 1 when something differs."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="EVENT", help="its short name; default: all")

    def handle(self, *, slugs: list[str], **options: Any) -> None:
        seasons = Season.objects.filter(state=Season.State.OVER).select_related("event").order_by("pk")
        if slugs:
            seasons = seasons.filter(event__slug__in=slugs)
            if missing := set(slugs) - set(seasons.values_list("event__slug", flat=True)):
                names = ", ".join(sorted(missing))
                raise CommandError(
                    _("There is no event %(names)s with a season that is over.") % {"names": names}
                )
        count = wrong = 0
        for season in seasons:
            faults = list(find_faults(season))
            for fault in faults:
                self.stdout.write(f"{season.event.slug} {season.number}, {fault}")
            count, wrong = count + 1, wrong + bool(faults)
        if wrong:
            raise CommandError(
                _("%(wrong)d of %(all)d seasons differ from their records.") % {"wrong": wrong, "all": count}
            )
        self.stdout.write(
            ngettext(
                "%(all)d season: everything follows from its records.",
                "%(all)d seasons: everything follows from their records.",
                count,
            )
            % {"all": count}
        )
