"""The least that a move touches: a row that is locked and changed, and one that is added."""

from __future__ import annotations

from django.db import models


class Thing(models.Model):
    """The row that is locked and updated."""

    count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.pk)


class Entry(models.Model):
    """The row that is inserted."""

    thing = models.ForeignKey(Thing, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    text = models.CharField(max_length=500)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.thing_id} {self.number}"
