"""The people with a role on this server: helpers, moderators, administrators."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role


def people_with(role: Role) -> QuerySet[User]:
    """Everybody who has this role or a higher one."""
    return User.objects.filter(Q(role__gte=role) | Q(is_superuser=True), is_active=True)
