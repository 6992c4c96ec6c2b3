"""`manage.py verify_ratings`: checks that all ratings still follow from the records."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from gemserver.ratings import verify


class Command(BaseCommand):
    help = (
        "Compute all ratings anew from matches, moves and seats, and name the first that is stored otherwise: match, "
        "seat, stored and computed figures. Changes nothing. Exit status 1 when something differs."
    )

    def handle(self, **options: Any) -> None:
        number, difference = verify.verify()
        if difference is not None:
            raise CommandError(_("The first difference: %(difference)s") % {"difference": difference})
        self.stdout.write(
            ngettext(
                "%(all)d rated match: every rating follows from the records.",
                "%(all)d rated matches: every rating follows from the records.",
                number,
            )
            % {"all": number}
        )
