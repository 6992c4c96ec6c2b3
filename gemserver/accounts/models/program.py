"""Programs that act for a player: their tokens, and how much they ask."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models.user import User


class PersonalToken(models.Model):
    """A key with which a program acts for its owner; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="personal_tokens")
    name = models.CharField(_("name"), max_length=40)
    scopes = models.CharField(
        _("may"), max_length=40, help_text="words of `tokens.SCOPES`, with blanks between"
    )
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(_("made"))
    expires_at = models.DateTimeField(_("good until"), null=True, help_text="none: until it is revoked")
    used_on = models.DateField(_("last used"), null=True, help_text="the day, in UTC")

    class Meta:
        verbose_name = _("personal token")
        verbose_name_plural = _("personal tokens")
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="personal_token_name")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.name}"

    @property
    def scope_words(self) -> list[str]:
        return self.scopes.split()


class TokenCount(models.Model):
    """The requests of one token within a minute, as version 1.0 counts them: it may be put back after an upgrade.

    To be taken away with the version after 1.1.
    """

    token = models.OneToOneField(PersonalToken, primary_key=True, on_delete=models.CASCADE, related_name="+")
    minute = models.BigIntegerField(help_text="its number since 1970")
    used = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("requests of a token")
        verbose_name_plural = _("requests of tokens")

    def __str__(self) -> str:
        return f"{self.token_id}: {self.used}"


class RequestCount(models.Model):
    """The requests of one account's programs within the present minute; a table of its own: each request writes it.

    Of the account there is only the number, so that ending a bot does not begin its person's count anew. UNLOGGED on
    PostgreSQL, so that none of them waits for the disk; nothing is lost with it but counts.
    """

    account = models.OneToOneField(
        User, primary_key=True, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+"
    )
    person = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        db_constraint=False,
        related_name="+",
        help_text="whose account or bot it is",
    )
    minute = models.BigIntegerField(help_text="its number since 1970")
    used = models.PositiveIntegerField()

    class Meta:
        verbose_name = _("requests of an account")
        verbose_name_plural = _("requests of accounts")

    def __str__(self) -> str:
        return f"{self.account_id}: {self.used}"
