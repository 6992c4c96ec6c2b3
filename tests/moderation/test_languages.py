"""Every name on the moderators' site is said in the language of its reader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.contrib import admin
from django.contrib.admin.utils import label_for_field
from django.db.models import Model
from django.utils import translation

from gemserver.mail_kinds import KINDS
from gemserver.moderation.actions import ACTIONS, say_verb
from gemserver.moderation.actions.action import ActionForm
from gemserver.moderation.mail_kinds import say_kind
from tests.catalogues import LANGUAGES

SAME = {
    "de": {
        *("bot", "club", "code", "format", "moderator", "name", "status", "text", "web"),
        *("api", "id", "mail", "message-id", "webhook"),
    },
    "fr": {
        *(
            "action",
            "code",
            "club",
            "clubs",
            "format",
            "message",
            "messages",
            "note",
            "options",
            "page",
            "web",
        ),
        *("api", "id", "message-id", "webhook"),
    },
}
"""Words that are the same in English, in small letters, and names that are not translated."""


def list_names() -> Iterator[tuple[str, str]]:
    """Yield each name of a list, column, filter, choice, field and action, with where it stands."""
    for model, page in admin.site._registry.items():
        label = model._meta.label
        yield label, str(model._meta.verbose_name)
        yield label, str(model._meta.verbose_name_plural)
        yield from name_fields(model, page, page.list_display)
        yield from name_fields(model, page, page.fields or list_shown(model))
        for path in page.list_filter:
            assert isinstance(path, str)
            yield from name_filter(model, path)
        for inline in page.inlines:
            yield label, str(inline.model._meta.verbose_name_plural)
            yield from name_fields(inline.model, inline(model, admin.site), inline.fields)
    for verb, action in ACTIONS.items():
        yield verb, str(action.title)
        if action.warning:
            yield verb, str(action.warning)
        yield from name_form(verb, action.form)


def list_shown(model: type[Model]) -> list[str]:
    return [field.name for field in model._meta.fields if field.editable and not field.primary_key]


def name_fields(model: type[Model], page: object, names: object) -> Iterator[tuple[str, str]]:
    for name in names:  # type: ignore[attr-defined]
        yield f"{model._meta.label}.{name}", str(label_for_field(name, model, page))
        if name in {field.name for field in model._meta.fields}:
            yield from name_choices(model, name)


def name_filter(model: type[Model], path: str) -> Iterator[tuple[str, str]]:
    *way, name = path.split("__")
    for step in way:
        model = model._meta.get_field(step).related_model  # type: ignore[assignment]
    yield f"{model._meta.label}.{name}", str(model._meta.get_field(name).verbose_name)  # type: ignore[union-attr]
    yield from name_choices(model, name)


def name_choices(model: type[Model], name: str) -> Iterator[tuple[str, str]]:
    for value, words in model._meta.get_field(name).flatchoices:  # type: ignore[union-attr]
        yield f"{model._meta.label}.{name} {value}", str(words)


def name_form(verb: str, form: type[ActionForm]) -> Iterator[tuple[str, str]]:
    for name, field in form.base_fields.items():
        for words in (field.label, field.help_text):
            if words:
                yield f"{verb}.{name}", str(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_name_is_english_in_another_language(language: str) -> None:
    with translation.override("en"):
        english = list(list_names())
    with translation.override(language):
        named = list(list_names())
    left = [
        (place, words)
        for (place, words), original in zip(named, english, strict=True)
        if (place, words) == original and words.casefold() not in SAME[language] | LANGUAGE_NAMES
    ]
    assert left == []


LANGUAGE_NAMES = {"english", "français", "deutsch"}
"""Each is written in itself."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_actions_and_mails_are_named_as_they_are_called_there(language: str) -> None:
    codes = {*ACTIONS, "ban-over", "mute-over"}
    with translation.override("en"):
        english = {say_verb(verb) for verb in codes} | {say_kind(kind) for kind in KINDS}
    with translation.override(language):
        named = {say_verb(verb) for verb in codes} | {say_kind(kind) for kind in KINDS}
    assert named & (english | codes | set(KINDS)) == set()


def test_an_action_that_is_gone_is_named_as_it_was_written_down() -> None:
    assert say_verb("shout") == "shout"
    assert say_kind("letter") == "letter"
