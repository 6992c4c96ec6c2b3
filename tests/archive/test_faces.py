"""The open archive on the pages, by the API, by mail and by commands."""

from __future__ import annotations

import gzip
import hashlib
import io
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from games.archive import read_rows, write_row
from gemserver.accounts.models import User
from gemserver.archive.models import ArchiveFile
from gemserver.matches import verify
from gemserver.matches.models import Match
from gemserver.site.lists import archive_views
from tests.api.programs import Program
from tests.archive.test_build import APRIL, MARCH, build, finish
from tests.mailgate.posting import codes, write
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db

NAME = "gemserver-2026-03.jsonl.gz"


@pytest.fixture
def file(ana: User, ben: User) -> ArchiveFile:
    finish(ana, ben)
    finish(ana, ben, game="gemessengers")
    build.build_month(MARCH, now=APRIL)
    return ArchiveFile.objects.get()


@pytest.mark.slow
def test_anybody_finds_and_downloads_a_file(file: ArchiveFile) -> None:
    page = read(Client().get("/archive/"))
    assert "March 2026" in page.text
    assert f"/archive/{NAME}" in page.links
    answer = Client().get(f"/archive/{NAME}", headers={"Accept-Encoding": "gzip"})
    content = answer.getvalue()
    assert hashlib.sha256(content).hexdigest() == file.sha256
    assert len(list(read_rows(io.BytesIO(content)))) == 2
    assert int(answer["Content-Length"]) == len(content)
    assert "Content-Encoding" not in answer
    again = Client().get(f"/archive/{NAME}", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_file_is_read_and_sent_piece_by_piece(file: ArchiveFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_views, "PIECE", 100)
    pieces = list(Client().get(f"/archive/{NAME}"))
    assert b"".join(pieces) == file.content
    assert max(map(len, pieces)) == 100


@pytest.mark.slow
def test_a_file_that_is_replaced_meanwhile_is_not_sent_in_halves(
    file: ArchiveFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_views, "PIECE", 100)
    pieces = iter(Client().get(f"/archive/{NAME}"))
    next(pieces)
    build.build_month(MARCH, now=APRIL)
    with pytest.raises(ConnectionAbortedError):
        list(pieces)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "gemserver-2026-13.jsonl.gz",
        "gemserver-2026-02.jsonl.gz",
        "gemserver-0000-03.jsonl.gz",
        "gemserver-2026-03-1.jsonl.gz",
        "gemserver-2026-03-99999.jsonl.gz",
        "x",
    ],
)
def test_what_is_no_file_is_not_found(file: ArchiveFile, name: str) -> None:
    assert Client().get(f"/archive/{name}").status_code == 404


def test_the_page_says_when_there_is_none() -> None:
    assert "There is no file yet" in read(Client().get("/archive/")).text


def test_the_accounts_page_keeps_the_choice(ana: User) -> None:
    client = signed_in(ana)
    client.post("/you/", {"name": "ana", "language": "en", "is_named_in_archive": "on"})
    ana.refresh_from_db()
    assert ana.is_named_in_archive
    assert "checked" in client.get("/you/").content.decode()
    client.post("/you/", {"name": "ana", "language": "en"})
    ana.refresh_from_db()
    assert not ana.is_named_in_archive


def test_a_mail_makes_the_choice_and_is_answered(ana: User) -> None:
    assert codes(write(ana, "archive named")) == ["done"]
    ana.refresh_from_db()
    assert ana.is_named_in_archive
    assert codes(write(ana, "archive numbered")) == ["done"]
    ana.refresh_from_db()
    assert not ana.is_named_in_archive


def test_a_file_is_imported_once_on_another_server(file: ArchiveFile, tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(file.content)
    Match.objects.all().delete()
    said = io.StringIO()
    call_command("import_archive", str(path), check=True, stdout=said)
    assert not Match.objects.exists()
    call_command("import_archive", str(path), stdout=said)
    call_command("import_archive", str(path), stdout=said)
    assert said.getvalue().splitlines() == [
        "Replayed: 2.",
        "Imported: 2; there already: 0.",
        "Imported: 0; there already: 2.",
    ]
    for match in Match.objects.all():
        assert match.status == Match.Status.FINISHED
        assert verify.first_difference(match) is None


@pytest.mark.slow
def test_a_damaged_file_is_named_and_what_came_before_stays(file: ArchiveFile, tmp_path: Path) -> None:
    first, second = gzip.decompress(file.content).decode().splitlines()
    path = tmp_path / "damaged.jsonl"
    path.write_text(f"{first}\n{second.replace('Result: A ', 'Result: A 9')}\n")
    Match.objects.all().delete()
    with pytest.raises(CommandError, match="Match 2: line"):
        call_command("import_archive", str(path), stdout=io.StringIO())
    assert Match.objects.count() == 1


@pytest.mark.slow
def test_a_row_with_parts_of_its_deal_is_not_imported(file: ArchiveFile, tmp_path: Path) -> None:
    """It would pass for a match that this server has dealt."""
    row = next(read_rows(io.BytesIO(file.content)))
    path = tmp_path / "archive.jsonl"
    path.write_text(write_row(replace(row, record=replace(row.record, server_part="b" * 64))))
    before = Match.objects.count()
    with pytest.raises(CommandError, match="has parts of its deal"):
        call_command("import_archive", str(path), stdout=io.StringIO())
    assert Match.objects.count() == before


def test_the_command_builds_a_month_that_is_not_over(ana: User, ben: User) -> None:
    said = io.StringIO()
    call_command("build_archive", month=MARCH, stdout=said)
    assert said.getvalue() == "No match that finished in this month is for the archive.\n"
    finish(ana, ben)
    said = io.StringIO()
    call_command("build_archive", month=MARCH, stdout=said)
    assert said.getvalue().startswith(f"{NAME}  1 ")


@pytest.mark.slow
def test_programs_list_the_files_and_choose_for_their_owner(file: ArchiveFile, ana: User) -> None:
    program = Program.of(ana, "read", "account")
    (shown,) = program.get("archive").json()["files"]
    assert (shown["name"], shown["matches"], shown["sha256"]) == (NAME, 2, file.sha256)
    assert shown["url"].endswith(f"/archive/{NAME}")
    assert program.get("account").json()["named_in_archive"] is False
    assert program.post("account/archive", {"named": True}).status_code == 200
    assert program.get("account").json()["named_in_archive"] is True
