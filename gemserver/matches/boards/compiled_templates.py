"""Templates of Jinja, which compiles them: boards, and the part of a page with a line for each of many moves.

Django's take five times as long; `docs/performance.md` says what that is of a page.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.safestring import SafeString

from gemserver.lib.text.translator import translator
from gemserver.matches.boards import game_templates

if TYPE_CHECKING:
    from jinja2 import Environment


def write(name: str, **context: Any) -> SafeString:
    """Render the template in the active language; a name that it uses and is not given raises UndefinedError."""
    return SafeString(environment().get_template(name).render(context))


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Every template below `templates` and in the packages of games; `localtime` is a filter as Django's."""
    # Imported here, so that a process that draws nothing does without.
    from jinja2 import ChoiceLoader, FileSystemLoader, FunctionLoader, StrictUndefined

    from gemserver.matches.boards.quick_escape import QuickEnvironment

    environment = QuickEnvironment(
        loader=ChoiceLoader(
            [FileSystemLoader(settings.BASE_DIR / "templates"), FunctionLoader(game_templates.read)]
        ),
        autoescape=True,
        auto_reload=False,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
        extensions=["jinja2.ext.i18n"],
    )
    environment.install_gettext_callables(  # type: ignore[attr-defined]
        translation.gettext, _ngettext, newstyle=True
    )
    environment.filters |= {"localtime": timezone.localtime, "day": _write_day}
    return environment


def _write_day(moment: datetime) -> str:
    return _written_day(moment.date(), translation.get_language())


@lru_cache(maxsize=1024)
def _written_day(day: date, language: str | None) -> str:
    """In this language, which is the active one. Written anew, the days took half of the time of a log."""
    return date_format(day, "j M")


def _ngettext(singular: str, plural: str, number: int) -> str:
    return translator().ngettext(singular, plural, number)
