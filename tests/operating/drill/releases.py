"""The versions that the drill changes between: each is found by the commit that dated its heading in CHANGELOG.md."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.services.processes import Failed
from tests.services.site import ROOT

HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$", re.MULTILINE)
WANTED = 3
"""Versions: one to install, two to upgrade to."""
UNRELEASED = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - unreleased$", re.MULTILINE)
DATED = "## [{version}] - 2026-01-01"
CHANGES = """\
{heading}

### For operators

* `gemctl upgrade`; nothing else. A column is added to the matches.

"""
MIGRATION = """\
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "{former}")]
    operations = [migrations.AddField("match", "{column}", models.TextField(null=True))]
"""


@dataclass(frozen=True, slots=True)
class Release:
    version: str
    commit: str
    for_operators: str
    """The steps that CHANGELOG.md asks of operators."""

    @property
    def tag(self) -> str:
        return f"v{self.version}"


class Versions:
    """A clone of this repository, and its last three releases, oldest first; `made`: those the drill had to add."""

    def __init__(self, folder: Path, source: Path = ROOT) -> None:
        self._folder = folder
        _git(source, "clone", "--quiet", str(source), str(folder))
        self.made: list[str] = []
        self.releases = self._find()
        if len(self.releases) < WANTED:
            self._add()
            self.releases = self._find()
        self.releases = self.releases[-WANTED:]
        for release in self.releases:
            _git(folder, "tag", "--force", release.tag, release.commit)
        self._require_growing_migrations()

    def publish(self, release: Release, origin: Path) -> None:
        """Let the repository from which servers are fetched have this version, and none that is newer."""
        _git(
            self._folder,
            "push",
            "--quiet",
            "--force",
            str(origin),
            f"{release.commit}:refs/heads/main",
            release.tag,
        )

    def read(self, release: Release, path: str) -> str:
        """The text of a file as it is in this version."""
        return _git(self._folder, "show", f"{release.commit}:{path}")

    def _find(self) -> list[Release]:
        text = _git(self._folder, "show", "HEAD:CHANGELOG.md")
        return [
            Release(heading[1], self._find_commit(heading[0]), _for_operators(text, heading[0]))
            for heading in reversed(list(HEADING.finditer(text)))
        ]

    def _find_commit(self, heading: str) -> str:
        """The first commit that has the heading as it is."""
        found = _git(self._folder, "log", "--reverse", "--format=%H", f"-S{heading}", "--", "CHANGELOG.md")
        return found.split()[0]

    def _add(self) -> None:
        """Release what is there and as many versions more as are wanting, each with a migration of a busy table."""
        changelog = self._folder / "CHANGELOG.md"
        text = changelog.read_text()
        if unreleased := UNRELEASED.search(text):
            dated = DATED.format(version=unreleased[1])
            changelog.write_text(UNRELEASED.sub(dated, text, count=1))
            self._commit(unreleased[1])
        while len(self._find()) < WANTED:
            text = changelog.read_text()
            newest = HEADING.search(text)
            assert newest is not None
            major, minor, _patch = newest[1].split(".")
            version = f"{major}.{int(minor) + 1}.0"
            place = newest.start()
            changelog.write_text(
                text[:place] + CHANGES.format(heading=DATED.format(version=version)) + text[place:]
            )
            self._commit(version)

    def _add_migration(self, version: str) -> None:
        folder = self._folder / "gemserver/matches/migrations"
        former = max(path.stem for path in folder.glob("[0-9]*.py"))
        name = f"{int(former[:4]) + 1:04}_version_{version.replace('.', '_')}"
        column = f"added_in_{version.replace('.', '_')}"
        (folder / f"{name}.py").write_text(MIGRATION.format(former=former, column=column))

    def _commit(self, version: str) -> None:
        self.made.append(version)
        self._add_migration(version)
        _git(self._folder, "add", "--all")
        _git(self._folder, "commit", "--quiet", "--no-verify", "--message", f"Release {version}")

    def _require_growing_migrations(self) -> None:
        """Raise Failed if a migration of a release was changed or taken away in a later one."""
        for older, newer in zip(self.releases, self.releases[1:], strict=False):
            changed = _git(
                self._folder,
                *("diff", "--name-only", "--no-renames", "--diff-filter=MD", older.commit, newer.commit),
                *("--", "gemserver/*/migrations/*.py"),
            )
            if changed:
                raise Failed(f"{newer.version} changes migrations of {older.version}:\n{changed}")


def _for_operators(changelog: str, heading: str) -> str:
    """The section for operators of one version, on one line; Failed if the version has none."""
    section = changelog[changelog.index(heading) + len(heading) :].partition("\n## [")[0]
    told = section.partition("### For operators\n")[2].partition("\n### ")[0].strip()
    if not told:
        raise Failed(f"CHANGELOG.md does not say what an operator must do for {heading}")
    return " ".join(told.split())


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Drill", "-c", "user.email=drill@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"git {' '.join(arguments)}: {done.stderr}")
    return done.stdout.strip()
