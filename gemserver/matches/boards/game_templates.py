"""Templates that travel in the package of a game: `games/<slug>/board.svg` is its `templates/board.svg`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources.abc import Traversable

from django.conf import settings
from django.template import Origin, TemplateDoesNotExist
from django.template.loaders.base import Loader as BaseLoader

from games import registry


def find_file(name: str) -> Traversable | None:
    """The file behind a template's name, if that is one of a game that can be played here."""
    match name.split("/"):
        case ["games", slug, file] if slug in registry.GAMES:
            found = registry.GAMES[slug].folder / "templates" / file
            if file == "cover.svg" and not found.is_file():  # a game may do without
                return settings.BASE_DIR / "templates" / "games" / "cover.svg"
            return found if found.is_file() else None
        case ["games", _, "emblem.svg"]:  # a game that was taken away still stands in lists of results
            return settings.BASE_DIR / "templates" / "games" / "emblem.svg"
    return None


def read(name: str) -> str | None:
    """The text of the template; None where no game has it."""
    found = find_file(name)
    return found.read_text(encoding="utf-8") if found else None


class Loader(BaseLoader):
    """Finds them for Django."""

    def get_template_sources(self, template_name: str) -> Iterator[Origin]:
        found = find_file(template_name)
        if found:
            yield Origin(name=str(found), template_name=template_name, loader=self)

    def get_contents(self, origin: Origin) -> str:
        text = read(str(origin.template_name))
        if text is None:
            raise TemplateDoesNotExist(origin)
        return text
