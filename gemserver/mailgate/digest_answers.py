"""What an answer to a digest is about: each match that it listed, with the prompt it showed (`email.md` T1)."""

from __future__ import annotations

from collections.abc import Mapping

from gemserver.accounts.models import User
from gemserver.mailgate.parse import ParsedMail
from gemserver.matches.mails import mail_ids
from gemserver.notify.models import OutboxMessage


def answered_prompts(mail: ParsedMail, user: User) -> Mapping[int, int]:
    """Match (primary key) → prompt: by the digest that the mail answers, else by the `Ref:` lines it quotes."""
    ids = [f"<{reference.strip('<>')}>" for reference in (*mail.in_reply_to, *mail.references)]
    digest = (
        OutboxMessage.objects.filter(user=user, kind="digest", message_id__in=ids).order_by("-pk").first()
    )
    if digest is not None:
        return {prompt["match"]: prompt["turn"] for prompt in digest.data["prompts"]}
    return {ref.match: ref.turn for ref in mail_ids.find_ref_lines(mail.text) if ref.turn}
