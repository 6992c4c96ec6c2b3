"""A mail as it goes over the wire is what any program expects of one, however it is written."""

from __future__ import annotations

from email import message_from_bytes
from email.mime.image import MIMEImage
from email.policy import default

from gemserver.notify.letter import Letter

TEXT = "Übung\n\n-- \nFrom here on\n--===============\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100


def test_text_html_and_picture_arrive_as_they_were_written() -> None:
    letter = Letter("Your turn", TEXT, "a@example.org", ["b@example.org"])
    letter.attach_alternative(f"<p>{TEXT}</p>", "text/html")
    letter.attach(MIMEImage(PICTURE, "png"))
    written = letter.message().as_bytes(linesep="\r\n")
    assert written.count(b"\n") == written.count(b"\r\n")
    assert max(map(len, written.split(b"\r\n"))) <= 76
    parts = [part for part in message_from_bytes(written, policy=default).walk() if not part.is_multipart()]
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html", "image/png"]
    text, html, picture = (part.get_content() for part in parts)
    assert text.replace("\r\n", "\n").rstrip("\n") == TEXT.rstrip("\n")
    assert TEXT.rstrip("\n") in html.replace("\r\n", "\n")
    assert picture == PICTURE
