"""`gemctl upgrade`: the commit that a name means, of a version, a branch or a commit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.operating.checkouts import Site


def test_a_branch_is_what_the_remote_has_now(site: Site) -> None:
    """The branch of the clone itself stays where it was when somebody pulled last."""
    stale = site.git("rev-parse", "main", at=site.root)
    site.commit("v2.0.0-rc1")
    assert site.upgrade("main") == 0
    assert site.version == "v2.0.0-rc1"
    assert site.git("rev-parse", "main", at=site.root) == stale
    site.git("commit", "--quiet", "--allow-empty", "--message", "Later", at=site.origin)
    assert site.upgrade("main", "--no-fetch") == 0
    assert site.version == "v2.0.0-rc1"
    assert site.upgrade("main") == 0
    newest = site.git("rev-parse", "main", at=site.origin)
    assert site.git("rev-parse", "HEAD", at=site.root) == newest
    assert site.upgrade(stale[:10]) == 0
    assert site.git("rev-parse", "HEAD", at=site.root) == stale


def test_a_branch_is_known_that_a_shallow_clone_never_had(site: Site, tmp_path: Path) -> None:
    shutil.rmtree(site.root)
    address = site.origin.as_uri()
    site.git("clone", "--quiet", "--depth", "1", "--branch", "v1.1.0", address, str(site.root), at=tmp_path)
    site.git("checkout", "--quiet", "-b", "topic/clocks", at=site.origin)
    site.commit("v2.0.0-rc1")
    assert site.upgrade("topic/clocks") == 0
    assert site.version == "v2.0.0-rc1"


def test_a_branch_that_the_remote_has_no_more_is_refused(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.git("branch", "topic", "v1.1.0", at=site.origin)
    site.git("fetch", "--quiet", at=site.root)
    site.git("branch", "--track", "topic", "origin/topic", at=site.root)
    site.git("branch", "--delete", "--force", "topic", at=site.origin)
    assert site.upgrade("topic") == 1
    said = capsys.readouterr().err
    assert "origin has no branch topic" in said
    assert site.done == []
    command = said.partition("gemctl upgrade ")[2].split()
    assert site.upgrade(*command) == 0
    assert site.version == "v1.1.0"


def test_a_tag_is_meant_before_a_branch_of_the_same_name(site: Site) -> None:
    site.git("branch", "v1.1.0", "main", at=site.origin)
    assert site.upgrade("v1.1.0") == 0
    assert site.git("rev-parse", "HEAD", at=site.root) == site.git(
        "rev-parse", "refs/tags/v1.1.0", at=site.origin
    )


def test_versions_that_cannot_be_fetched_change_nothing(
    site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As without a network; or somebody has moved a tag, of which git itself says nothing when it is quiet."""
    site.git("tag", "--force", "v1.1.0", "v1.10.0", at=site.origin)
    assert site.upgrade() == 1
    assert "git tag --delete TAG" in capsys.readouterr().err
    site.origin.rename(tmp_path / "away")
    for name in ("main", "v1.10.0"):
        assert site.upgrade(name) == 1
        said = capsys.readouterr().err
        assert "does not appear to be a git repository" in said
        assert "nothing was changed" in said
        assert "git remote get-url origin" in said
    assert site.done == []
    assert site.version == "v1.0.0"
    assert site.upgrade("main", "--no-fetch") == 0
    assert site.version == "v1.10.0"


def test_a_checkout_without_a_remote_has_its_own_branches(site: Site) -> None:
    site.git("remote", "remove", "origin", at=site.root)
    assert site.upgrade("main") == 0
    assert site.version == "v1.10.0"


def test_new_versions_come_from_the_one_remote_whatever_its_name(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.git("remote", "rename", "origin", "upstream", at=site.root)
    site.commit("v2.0.0")
    site.git("remote", "add", "mirror", str(site.origin), at=site.root)
    assert site.upgrade("main") == 1
    assert "is called origin" in capsys.readouterr().err
    site.git("remote", "remove", "mirror", at=site.root)
    assert site.upgrade("main") == 0
    assert site.version == "v2.0.0"
