"""Templates of Jinja, which compiles them: boards, and the part of a page with a line for each of many moves.

Django's take five times as long; `docs/performance.md` says what that is of a page.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.safestring import SafeString

from gemserver.lib.translator import translator
from gemserver.matches import game_templates

if TYPE_CHECKING:
    from jinja2 import Environment


def write(name: str, **context: Any) -> SafeString:
    """Render the template in the active language; a name that it uses and is not given raises UndefinedError."""
    return SafeString(environment().get_template(name).render(context))


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Every template below `templates` and in the packages of games; `localtime` and `date` are filters as Django's."""
    # Imported here, so that a process that draws nothing does without.
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, FunctionLoader, StrictUndefined

    environment = Environment(
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
    environment.filters |= {"localtime": timezone.localtime, "date": date_format}
    return environment


def _ngettext(singular: str, plural: str, number: int) -> str:
    return translator().ngettext(singular, plural, number)
