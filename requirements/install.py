"""Makes .venv hold locked requirements: `python3 requirements/install.py requirements.txt …`.

Standard library only, for it runs before anything is installed, and readable by Python 3.7, so that an old one
gets a sentence. A file that was installed before is known by its hash, so that a second run takes no time.
Takes uv when it is on the PATH; pip otherwise, or when uv fails.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"


def main() -> None:
    require_python()
    files = [Path(name).resolve() for name in sys.argv[1:]]
    missing = [file for file in files if not is_installed(file)]
    if not missing:
        return
    if not works(PYTHON):
        print(f"Making .venv with Python {sys.version.split()[0]} …", flush=True)
        make_venv()
    print(
        f"Installing {', '.join(str(file.relative_to(ROOT)) for file in missing)} (once, half a minute) …",
        flush=True,
    )
    install(missing)
    for file in missing:
        stamp(file).write_text(fingerprint(file))


def require_python() -> None:
    """Stop with a sentence when this Python is too old or cannot make virtual environments."""
    if sys.version_info < (3, 11):
        sys.exit("Python %d.%d is too old; install Python 3.11 or newer." % sys.version_info[:2])
    if shutil.which("uv") is None:
        try:
            import ensurepip  # noqa: F401
        except ImportError:
            sys.exit(
                "This Python cannot make virtual environments; on Debian: apt-get install -y python3-venv"
            )


def is_installed(file: Path) -> bool:
    return stamp(file).exists() and stamp(file).read_text() == fingerprint(file) and works(PYTHON)


def stamp(file: Path) -> Path:
    return VENV / f"{file.name}.installed"


def fingerprint(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def works(python: Path) -> bool:
    """True if the environment's Python starts; it does not once the Python it was made with is gone."""
    return (
        python.exists()
        and subprocess.run([python, "-c", ""], check=False, stderr=subprocess.DEVNULL).returncode == 0
    )


def make_venv() -> None:
    venv.create(VENV, clear=True, symlinks=True, with_pip=shutil.which("uv") is None)


def install(files: list[Path]) -> None:
    """Install with uv, else with pip; stop when neither could."""
    arguments = ["--quiet", "--require-hashes", *(word for file in files for word in ("-r", str(file)))]
    uv = shutil.which("uv")
    if uv:
        if run([uv, "pip", "install", "--python", str(PYTHON), *arguments]):
            return
        print("uv could not install them; trying pip …", flush=True)
    if not run([str(PYTHON), "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('pip') is None)"]):
        run([str(PYTHON), "-m", "ensurepip"], stdout=subprocess.DEVNULL)
    # Modules are compiled when they are first imported: that is less than pip would compile.
    if not run(
        [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-compile", *arguments]
    ):
        sys.exit(
            "The requirements could not be installed; pip says why above. Run the command again afterwards."
        )


def run(command: list[str], stdout: int | None = None) -> bool:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, check=False, stdout=stdout, env=environment).returncode == 0


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted; run the command again to go on.")
