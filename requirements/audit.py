"""Looks up whether anything that is locked has a known weakness: `python requirements/audit.py requirements.txt …`.

Exit status 1 when something has. A machine that cannot reach the advisory service (that of PyPI, through pip-audit)
is told so and goes on with status 0: what a change does can be checked without a network, and the CI has one.
`--strict` makes that an error too.
"""

from __future__ import annotations

import json
import subprocess
import sys

ACCEPTED: dict[str, str] = {}
"""Advisories that do not concern this server, by id, each with the reason."""
TIMEOUT = 15


def main() -> int:
    """Audit every file that is named; the exit status."""
    strict = "--strict" in sys.argv
    files = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    return max(audit(file, strict=strict) for file in files)


def audit(file: str, *, strict: bool) -> int:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", file, "--require-hashes", "--disable-pip"),
            *("--format", "json", "--progress-spinner", "off", "--timeout", str(TIMEOUT)),
            *(word for advisory in ACCEPTED for word in ("--ignore-vuln", advisory)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        reason = (done.stderr.strip().splitlines() or ["no answer"])[-1]
        return say_not_audited(file, reason, strict=strict)
    known = [package for package in found if "vulns" in package]
    weak = [package for package in known if package["vulns"]]
    for package in weak:
        for advisory in package["vulns"]:
            fixed = ", ".join(advisory["fix_versions"]) or "no version yet"
            print(f"{file}: {package['name']} {package['version']}: {advisory['id']}; fixed in {fixed}")
    if weak:
        return 1
    if not known:
        return say_not_audited(file, "the service knows none of the packages", strict=strict)
    print(f"{file}: no known weakness in {len(known)} packages", end="")
    print(f"; {len(found) - len(known)} could not be looked up" if len(found) > len(known) else "")
    return 0


def say_not_audited(file: str, reason: str, *, strict: bool) -> int:
    print(
        f"{file}: NOT AUDITED, the advisory service cannot be reached from here ({reason})", file=sys.stderr
    )
    return 1 if strict else 0


if __name__ == "__main__":
    sys.exit(main())
