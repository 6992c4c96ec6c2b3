"""`manage.py make_vapid_key`: a key with which push services know this server."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from gemserver.lib.web_push import new_key


class Command(BaseCommand):
    help = "Print a new key for VAPID_KEY; keep it secret, as browsers subscribe under it."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        self.stdout.write(new_key())
