"""The open archive: its files, and whether the asker is named in them."""

from __future__ import annotations

from datetime import date

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Schema
from pydantic import Field

from gemserver.api.askers import Token, user_of
from gemserver.api.keys import Key, Keyed
from gemserver.api.shapes import Done, Strict, Time
from gemserver.archive.models import ArchiveFile
from gemserver.archive.naming import set_named

router = Router(tags=["archive"])


class ArchiveFileShown(Schema):
    """A file of the archive: JSON lines, compressed by gzip."""

    name: str = Field(examples=["gemserver-2026-10.jsonl.gz"])
    month: date = Field(description="Its first day; the matches finished in this month, UTC.")
    matches: int
    size: int = Field(description="Bytes.")
    sha256: str
    built_at: Time
    url: str


class Archive(Schema):
    """The files, the newest month first."""

    files: list[ArchiveFileShown]


class NamedSent(Strict):
    """Your choice to be named."""

    named: bool = Field(description="In files from the next build on; false: you have a number.")


@router.get(
    "/archive", response=Archive, auth=Token("read"), summary="The open archive", operation_id="archive"
)
def archive(request: HttpRequest) -> Archive:
    """List the files of finished public matches; anybody may download them."""
    return Archive(
        files=[
            ArchiveFileShown(
                name=file.name,
                month=file.month,
                matches=file.matches,
                size=file.size,
                sha256=file.sha256,
                built_at=file.built_at,
                url=settings.SITE_URL + reverse("archive-file", args=[file.name]),
            )
            for file in ArchiveFile.objects.defer("content")
        ]
    )


@router.post(
    "/account/archive",
    response=Done,
    auth=Token("account"),
    summary="Be named in the archive, or not",
    operation_id="set_archive",
)
def be_named(request: HttpRequest, body: NamedSent, key: Key) -> Done:
    """Choose whether the open archive names you, and your bots; what is built already is built again."""

    def carry_out() -> None:
        set_named(user_of(request), is_named=body.named)

    return Keyed(request, "archive", key).do(carry_out)
