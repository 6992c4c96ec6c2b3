"""The open archive: a page that lists its files, and the files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from django.db.models import BinaryField
from django.db.models.functions import Substr
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from gemserver.archive.models import ArchiveFile

_NAME = re.compile(r"gemserver-(\d{4})-(\d\d)(?:-([1-9]\d{0,4}))?\.jsonl\.gz")

PIECE = 1 << 18
"""Bytes that are read at once."""


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """List the files, the newest month first."""
    files = ArchiveFile.objects.defer("content")
    return render(request, "matches/archive.html", {"files": files, "nav": "matches"})


@require_safe
def archive_file(request: HttpRequest, name: str) -> HttpResponseBase:
    """Send a file piece by piece; whoever has it already gets 304 by its SHA-256."""
    found = _NAME.fullmatch(name)
    if found is None or not 1 <= int(found[2]) <= 12 or int(found[1]) == 0:
        raise Http404
    month = date(int(found[1]), int(found[2]), 1)
    file = ArchiveFile.objects.filter(month=month, part=int(found[3] or 1)).defer("content").first()
    if file is None or file.name != name:
        raise Http404
    headers = {
        "ETag": f'"{file.sha256}"',
        "Content-Length": str(file.size),
        "Cache-Control": "public, max-age=3600",
        "Content-Disposition": f'attachment; filename="{file.name}"',
    }
    unchanged = get_conditional_response(request, etag=headers["ETag"])
    if unchanged is not None:
        return unchanged
    return StreamingHttpResponse(_pieces(file), content_type="application/gzip", headers=headers)


def _pieces(file: ArchiveFile) -> Iterator[bytes]:
    """The content. An error breaks the connection if the file is replaced meanwhile: nobody keeps half of each."""
    row = ArchiveFile.objects.filter(pk=file.pk)
    for start in range(0, file.size, PIECE):
        piece = row.values_list(
            Substr("content", start + 1, PIECE, output_field=BinaryField()), flat=True
        ).first()
        if piece is None:
            raise ConnectionAbortedError(f"{file.name} was replaced while it was sent")
        yield bytes(piece)
