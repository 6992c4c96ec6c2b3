"""`manage.py rotate_mail_key`: to be run after a change of MAIL_KEY, before the processes are started again."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from gemserver.operating import mail_key


class Command(BaseCommand):
    help = "Store all reply addresses under the new MAIL_KEY; those under MAIL_KEY_FALLBACKS stay good."

    def handle(self, **options: Any) -> None:
        for name, number in mail_key.rotate().items():
            self.stdout.write(f"{number:>8}  {name}")
