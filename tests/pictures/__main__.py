"""`python -m tests.pictures`: draws docs/images and the site's icons anew."""

from __future__ import annotations

import os
import tempfile

import django

from tests.pictures.layers import PICTURE, draw, read_layers


def main() -> None:
    PICTURE.write_text(draw(read_layers()))
    print(PICTURE.name)
    with tempfile.TemporaryDirectory() as folder:
        # Before Django reads its settings; asking the database in playwright's thread is right here.
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "gemserver.settings",
            "GEMSERVER_MODE": "embedded",
            "GEMSERVER_VAR": folder,
            "DJANGO_ALLOW_ASYNC_UNSAFE": "true",
            "AT_BOARD_SECONDS": "0",  # whoever plays at the page gets the mail that is shown ten minutes later
        }
        django.setup()
        from tests.pictures.icons import make_icons
        from tests.pictures.screens import take_screens

        for path in [*make_icons(), *take_screens()]:
            print(f"{path.name}: {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
