"""Requests of programs under keys of their own."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class KeyedRequest(models.Model):
    """A request that came with a key and was carried out: under that key it acts once (`request_names`)."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=120, unique=True)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of what was asked for")
    answer = models.JSONField(
        null=True, help_text="the sentence that answered it, as template and parameters"
    )
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("request of a program")
        verbose_name_plural = _("requests of programs")
        # Read by operating.retention: keys that are forgotten.
        indexes = [models.Index(fields=["created_at"], name="keyed_request_created")]

    def __str__(self) -> str:
        return self.name
