"""`manage.py migrate` on a database from which no migration leads on."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db


def test_a_database_made_before_1_0_is_refused_unchanged_and_its_operator_told_what_to_do() -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_applied("mailgate", "0001_initial")  # the app had tables of its own before 1.0
    before = recorder.applied_migrations().keys()
    with pytest.raises(CommandError) as refusal:
        call_command("migrate", verbosity=0, interactive=False)
    for words in ("before 1.0", "export_match", "make a new database", "move var/ away"):
        assert words in str(refusal.value)
    assert recorder.applied_migrations().keys() == before


def test_a_database_of_this_version_is_taken() -> None:
    call_command("migrate", plan=True, verbosity=0, interactive=False)
