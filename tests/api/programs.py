"""A program as the server sees it: requests with a personal token, and answers as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from django.http import HttpResponse
from django.test import Client

from gemserver.accounts.models import User
from gemserver.accounts.tokens import SCOPES
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token

ROOT = "/api/v1/"
_names = count(1)


def token_of(user: User, *scopes: str, days: int | None = None) -> str:
    """The text of a new token; without scopes it may do everything."""
    name = f"token {next(_names)}"
    _row, text = make_token(user, name, scopes or tuple(SCOPES), days=days, now=clock.now())
    return text


@dataclass
class Program:
    """A client with a token; `key` numbers its requests."""

    token: str
    client: Client = field(default_factory=Client)
    sent: int = 0

    @classmethod
    def of(cls, user: User, *scopes: str) -> Program:
        return cls(token_of(user, *scopes))

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(ROOT + path, headers={**self._headers, **headers})

    def post(self, path: str, body: Any = None, key: str | None = None, **headers: str) -> Any:
        self.sent += 1
        given = {"Idempotency-Key": key or f"request {self.sent}", **headers}
        data = b"" if body is None else json.dumps(body)
        return self.client.post(
            ROOT + path,
            data,
            content_type="application/json",
            headers={**self._headers, **given},
        )

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def code_of(response: HttpResponse) -> str:
    """The code of a problem, which must be one."""
    assert response["Content-Type"] == "application/problem+json", response.content
    problem = json.loads(response.content)
    assert problem["status"] == response.status_code
    assert problem["detail"].endswith((".", "…"))
    return str(problem["code"])
