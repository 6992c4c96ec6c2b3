"""The message that a webhook of an account gets, as the API's document describes it (OpenAPI 3.1, `webhooks`)."""

from __future__ import annotations

from typing import Any

from ninja import Schema
from pydantic import Field

from gemserver.api.shapes import Time


class MailTold(Schema):
    """The mail that says the same, without the addresses that play for its reader."""

    subject: str
    text: str


class NewsTold(Schema):
    """News as any spectator may read it. What stands in it depends on what it is about."""

    title: str
    text: str
    url: str = Field(description="The page that it links to.")
    match: str = Field(default="", description="The code of the match.", examples=["M17"])
    game: str = Field(default="", examples=["gem"])
    event: str = Field(default="", description="The short name of the league or tournament.")
    mail: MailTold | None = Field(
        default=None, description="Sent where the hook is switched on for it and its address is https."
    )


class HookMessage(Schema):
    """A hint that something is new; `GET /turns` says what is waiting."""

    type: str = Field(description="The kind of news; others may come.", examples=["turn", "reminder"])
    timestamp: Time = Field(description="When it became news.")
    data: NewsTold


_HEADERS = {
    "webhook-id": "Names the message, and stays when it is sent again.",
    "webhook-timestamp": "Seconds since 1970 at which this try was signed.",
    "webhook-signature": "`v1,` and a base64 HMAC-SHA256; several, with spaces between, while a secret is changed.",
}
_ANSWERS = {
    "2XX": "It came. Answer within eight seconds, and work afterwards",
    "410": "Send nothing here any more",
    "default": "It is sent again for three days, with growing pauses",
}


def describe_hooks() -> tuple[dict[str, Any], dict[str, Any]]:
    """The `webhooks` of the document, and the schemas that they refer to."""
    message = HookMessage.model_json_schema(ref_template="#/components/schemas/{model}")
    post = {
        "summary": "News for a webhook",
        "description": "Signed as Standard Webhooks say; the page of your channels shows the secret once.",
        "security": [],
        "parameters": [
            {
                "in": "header",
                "name": name,
                "required": True,
                "description": told,
                "schema": {"type": "string"},
            }
            for name, told in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/HookMessage"}}},
        },
        "responses": {status: {"description": told} for status, told in _ANSWERS.items()},
    }
    return {"news": {"post": post}}, {**message.pop("$defs"), "HookMessage": message}
