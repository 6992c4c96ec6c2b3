"""The matches that an answer to a digest is about, with the prompts that the digest showed.

See mail-requirements.md T1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gemserver.accounts.models import User
from gemserver.mailgate.parse import ParsedMail
from gemserver.matches.mails import mail_ids
from gemserver.notify.models import OutboxMessage


def answered_prompts(mail: ParsedMail, answered: Sequence[OutboxMessage], user: User) -> Mapping[int, int]:
    """Match (primary key) → prompt: by the digest that the mail answers, else by the `Ref:` lines it quotes.

    `answered`: the mails of ours that it answers.
    """
    digests = [each for each in answered if each.kind == "digest" and each.user_id == user.pk]
    if digests:
        newest = max(digests, key=lambda digest: digest.pk)
        return {prompt["match"]: prompt["turn"] for prompt in newest.data["prompts"]}
    return {ref.match: ref.turn for ref in mail_ids.find_ref_lines(mail.text) if ref.turn}
