"""`manage.py createsuperuser`: Django's, and the address is confirmed, as its owner runs this server."""

from __future__ import annotations

import os
from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management import CommandError

from gemserver.accounts.addresses import owner_of
from gemserver.accounts.models import User
from gemserver.accounts.newcomers import confirm_address


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        """Make the account one that plays and writes mail like any other. Raises CommandError for a taken address."""
        address = options.get("email") or os.environ.get("DJANGO_SUPERUSER_EMAIL", "")
        if not options["interactive"] and (taken := _say_taken(address)):
            raise CommandError(taken)
        before = set(_superusers())
        super().handle(*args, **options)
        for user in User.objects.filter(pk__in=set(_superusers()) - before):
            confirm_address(user)

    def get_input_data(self, field: Any, message: str, default: Any = None) -> Any:
        """Ask again for an address that is taken."""
        value = super().get_input_data(field, message, default)
        if field.name == "email" and value and (taken := _say_taken(value)):
            self.stderr.write(taken)
            return None
        return value


def _superusers() -> list[int]:
    return list(User.objects.filter(is_superuser=True).values_list("pk", flat=True))


def _say_taken(address: str) -> str:
    owner = owner_of(address) if address else None
    return (
        f"{address} belongs to the account {owner.username} already; give another address." if owner else ""
    )
