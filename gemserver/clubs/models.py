"""Clubs and their members."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Club(models.Model):
    """People who play among themselves. It is closed, never deleted: what was private stays private."""

    slug = models.SlugField(
        _("short name"), max_length=30, unique=True, help_text="in its address and in mails"
    )
    name = models.CharField(_("name"), max_length=60)
    about = models.TextField(_("about the club"), blank=True)
    is_private = models.BooleanField(
        _("private"), default=False, help_text="what it does is shown to its members alone"
    )
    is_asked_first = models.BooleanField(
        _("asks first"), default=True, db_default=True, help_text="its organisers say who may join"
    )
    listed_until = models.DateTimeField(
        null=True,
        help_text="when it became private; what began before counts in public. None: listed, or opened as private",
    )
    created_at = models.DateTimeField(_("opened at"))
    opened_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        db_constraint=False,
        related_name="+",
        help_text="for the limit of a day, whoever owns it by now",
    )
    closed_at = models.DateTimeField(_("closed at"), null=True)

    class Meta:
        verbose_name = _("club")
        verbose_name_plural = _("clubs")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.slug


class Member(models.Model):
    """A player in a club."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        ORGANISER = "organiser", _("organiser")
        MEMBER = "member", _("member")

    class ListMode(models.TextChoices):
        EACH = "each", _("each mail as it comes")
        DIGEST = "digest", _("one mail a day")
        OFF = "off", _("no mail")

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField()
    list_mode = models.CharField(
        _("mail of the club"), max_length=6, choices=ListMode, default=ListMode.EACH, db_default=ListMode.EACH
    )

    class Meta:
        verbose_name = _("member of a club")
        verbose_name_plural = _("members of clubs")
        constraints = [models.UniqueConstraint(fields=["club", "user"], name="club_member_once")]

    def __str__(self) -> str:
        return f"{self.club_id} {self.user_id} ({self.role})"


class Candidate(models.Model):
    """Somebody who is no member: they ask to join, are invited, or were removed."""

    class Kind(models.TextChoices):
        ASKED = "asked", _("asks to join")
        INVITED = "invited", _("is invited")
        DECLINED = "declined", _("has declined")
        REMOVED = "removed", _("was removed")

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="candidates")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="candidacies")
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text="who invited or removed them",
    )
    since = models.DateTimeField()
    was_removed = models.BooleanField(
        default=False, db_default=False, help_text="before they asked or were invited again"
    )

    class Meta:
        verbose_name = _("candidate of a club")
        verbose_name_plural = _("candidates of clubs")
        constraints = [models.UniqueConstraint(fields=["club", "user"], name="club_candidate_once")]

    def __str__(self) -> str:
        return f"{self.club_id} {self.user_id} ({self.kind})"

    @property
    def must_ask(self) -> bool:
        """True for who was removed and not let in since, though the club is open to all."""
        return self.kind == self.Kind.REMOVED or self.was_removed


class News(models.Model):
    """Something that the club's organisers tell its members, and of a listed club everybody."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="news")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="club_news"
    )
    text = models.TextField(_("text"))
    posted_at = models.DateTimeField()

    class Meta:
        verbose_name = _("news of a club")
        verbose_name_plural = _("news of clubs")
        ordering = ["-pk"]

    def __str__(self) -> str:
        """Without the text, which may be for members alone."""
        return f"{self.club_id} {self.posted_at:%Y-%m-%d %H:%M}"


class Post(models.Model):
    """A member's mail to the club, as it goes out to the others: newly typed text and nothing else."""

    club = models.ForeignKey(Club, on_delete=models.CASCADE, related_name="posts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="club_posts"
    )
    subject = models.CharField(_("subject"), max_length=200, blank=True)
    text = models.TextField(_("text"))
    key = models.CharField(max_length=80, unique=True, help_text="names the mail for good: it is posted once")
    posted_at = models.DateTimeField()

    class Meta:
        verbose_name = _("mail to a club")
        verbose_name_plural = _("mails to clubs")
        indexes = [
            # Read by post_to_list and club_mails: the mails of a day.
            models.Index(fields=["club", "posted_at"], name="club_post_time"),
            # Read by operating.retention: old mails.
            models.Index(fields=["posted_at"], name="club_post_age"),
        ]

    def __str__(self) -> str:
        """Without the words, which may be for members alone."""
        return f"{self.club_id} {self.posted_at:%Y-%m-%d %H:%M}"
