"""The drill finds the versions that it upgrades between by themselves; `make drill` does the rest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.operating.drill.manual import lines_after
from tests.operating.drill.releases import Versions
from tests.services.processes import Failed

MIGRATION = "gemserver/matches/migrations/0001_initial.py"


class Repository:
    """A checkout whose commits release versions, each with a migration that is kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet", "--initial-branch", "main")
        self._changes: list[str] = []

    def git(self, *arguments: str) -> str:
        who = ("-c", "user.name=Olga", "-c", "user.email=olga@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, **files: str) -> str:
        for name, content in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Change something")
        return self.git("rev-parse", "HEAD")

    def release(self, version: str, *, date: str = "2027-01-01", told: str = "* Nothing else.") -> str:
        self._changes.insert(
            0, f"## [{version}] - {date}\n\n### For operators\n\n{told}\n\n### Added\n\n* More.\n"
        )
        files = {"CHANGELOG.md": "# Changelog\n\n" + "\n".join(self._changes)}
        path = self.folder / MIGRATION
        return self.commit(**files, **({} if path.exists() else {MIGRATION: "first = True\n"}))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "source").mkdir()
    return Repository(tmp_path / "source")


def test_the_last_three_releases_are_found_by_their_commits(tmp_path: Path, repository: Repository) -> None:
    released = []
    for version in ("1.0.0", "1.1.0", "1.2.0", "1.10.0"):
        released.append(repository.release(version))
        repository.commit(work=version)
    versions = Versions(tmp_path / "clone", repository.folder)
    assert [release.commit for release in versions.releases] == released[1:]
    assert [release.tag for release in versions.releases] == ["v1.1.0", "v1.2.0", "v1.10.0"]
    assert versions.releases[0].for_operators == "* Nothing else."
    assert versions.made == []


def test_what_is_not_released_yet_is_released_in_the_clone_alone(
    tmp_path: Path, repository: Repository
) -> None:
    here = repository.release("1.0.0", date="unreleased")
    versions = Versions(tmp_path / "clone", repository.folder)
    assert versions.made == ["1.0.0", "1.1.0", "1.2.0"]
    assert [release.version for release in versions.releases] == versions.made
    assert repository.git("rev-parse", "HEAD") == here


def test_what_follows_a_release_is_the_next_one(tmp_path: Path, repository: Repository) -> None:
    repository.release("1.0.0")
    repository.release("1.1.0", date="unreleased")
    versions = Versions(tmp_path / "clone", repository.folder)
    assert [release.version for release in versions.releases] == ["1.0.0", "1.1.0", "1.2.0"]
    assert versions.made == ["1.1.0", "1.2.0"]


def test_a_release_that_changes_a_migration_is_refused(tmp_path: Path, repository: Repository) -> None:
    for version in ("1.0.0", "1.1.0"):
        repository.release(version)
    repository.commit(**{MIGRATION: "first = False\n"})
    repository.release("1.2.0")
    with pytest.raises(Failed) as refused:
        Versions(tmp_path / "clone", repository.folder)
    assert f"1.2.0 changes migrations of 1.1.0:\n{MIGRATION}" in str(refused.value)


def test_a_release_that_does_not_tell_operators_is_refused(tmp_path: Path, repository: Repository) -> None:
    repository.release("1.0.0", told="")
    with pytest.raises(Failed) as refused:
        Versions(tmp_path / "clone", repository.folder)
    assert "what an operator must do for ## [1.0.0]" in str(refused.value)


def test_the_lines_that_the_drill_runs_stand_in_the_manual() -> None:
    for words in ("**Database.**", "**The code**", "**To the last minute.**", "To go back to a moment"):
        assert lines_after(words)
    assert "certbot" not in lines_after("**nginx**, with a certificate", without=("certbot",))
