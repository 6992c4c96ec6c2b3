"""The open archive: files of finished public matches, one or more for each month."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class ArchiveMonth(models.Model):
    """A month of the archive; its row is locked when its files are put in place, and when somebody in it changes."""

    month = models.DateField(primary_key=True, help_text="its first day")
    changes = models.PositiveIntegerField(
        default=0, help_text="how often somebody in it chose otherwise, or was erased"
    )
    keys_sum = models.PositiveBigIntegerField(
        default=0, help_text="the sum of the keys of the matches in its files, which changes with them"
    )

    def __str__(self) -> str:
        return f"{self.month:%Y-%m}"


class ArchiveFile(models.Model):
    """A part of a month, as it is downloaded. In the database every machine has it, and backups too."""

    month = models.DateField(_("month"), help_text="its first day; matches finished in it, UTC")
    part = models.PositiveSmallIntegerField(_("part"), help_text="from 1")
    matches = models.PositiveIntegerField(_("matches"))
    content = models.BinaryField(help_text="JSON lines, compressed by gzip (games.archive)")
    size = models.PositiveIntegerField(_("size"), help_text="bytes")
    sha256 = models.CharField(max_length=64)
    built_at = models.DateTimeField(_("built"))
    is_stale = models.BooleanField(default=False, help_text="somebody in it chose otherwise or is gone")

    class Meta:
        verbose_name = _("archive file")
        verbose_name_plural = _("archive files")
        ordering = ["-month", "part"]
        constraints = [models.UniqueConstraint(fields=["month", "part"], name="archive_file_part")]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The file's name: `gemserver-2026-10.jsonl.gz`, with the part behind the month if it is not the first."""
        part = f"-{self.part}" if self.part > 1 else ""
        return f"gemserver-{self.month:%Y-%m}{part}.jsonl.gz"
