"""What bin/run, bin/test and bin/claimcheck do before anything of the project can be imported.

Standard library only. Makes `.venv` and `node_modules` to the letter of the pinned files, once, and again when those change.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MODULES = ROOT / "node_modules"
RUN, TEST, NODE, BENCH = "requirements.txt", "requirements-test.txt", "requirements-node.txt", "requirements-bench.txt"
OTEL = "requirements-otel.txt"
PIP = ["install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--no-compile"]
PIP += ["--no-warn-script-location", "--require-hashes", "--only-binary=:all:"]
BEGAN = time.monotonic()
TICK = 5  # seconds without a word, at most


class Failure(Exception):
    """Set-up cannot go on; the message says what to do."""


def say(line: str) -> None:
    print(f"{time.monotonic() - BEGAN:6.1f} s  {line}", file=sys.stderr, flush=True)


def prepare(*requirements: str) -> None:
    """Installs what these requirement files and package-lock.json pin, unless that is done already."""
    if not _missing(requirements) and _is_stamped(MODULES, *LOCKED):
        return
    with _locked():
        if missing := _missing(requirements):
            _make_venv()
        installs = [*([_pip(*missing)] if missing else []), *_npm()]
        _finish(installs)
        if missing:
            say("compiling")
            _run([str(PYTHON), "-m", "compileall", "-q", "-j", "0", str(VENV / "lib")], "compileall", check=False)
        for name in missing:
            _stamp(VENV, name)
        if installs:
            _stamp(MODULES, *LOCKED)


LOCKED = ("package-lock.json", ".npmrc")


def _missing(requirements: tuple[str, ...]) -> list[str]:
    return [name for name in requirements if not _is_stamped(VENV, name)]


def _digest(*files: str) -> str:
    content = b"".join((ROOT / name).read_bytes() for name in files)
    return hashlib.sha256(content + sys.version.encode()).hexdigest()


def _stamp_of(folder: Path, *files: str) -> Path:
    return folder / f".stamp-{files[0]}"


def _is_stamped(folder: Path, *files: str) -> bool:
    try:
        return _stamp_of(folder, *files).read_text() == _digest(*files)
    except OSError:
        return False


def _stamp(folder: Path, *files: str) -> None:
    _stamp_of(folder, *files).write_text(_digest(*files))


@contextlib.contextmanager
def _locked():
    """Two commands at once must not both install; the second waits and then finds everything there."""
    try:
        file = (ROOT / ".bootstrap.lock").open("w")
    except OSError as error:
        raise Failure(f"{ROOT} has to be set up by an account that can write there: {error}") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_venv() -> None:
    """A virtual environment of this very Python; one that does not start, or is another Python's, is made anew."""
    if _version_of(PYTHON) == sys.version:
        return
    say(f"making {VENV.name} for Python {sys.version.split()[0]}")
    bare = ["--without-pip"] if _has_pip() else []
    _run([sys.executable, "-m", "venv", "--clear", *bare, str(VENV)], "python3 -m venv", fix=_install_venv)


def _version_of(python: Path) -> str | None:
    with contextlib.suppress(OSError):
        words = subprocess.run([python, "-c", "import sys; print(sys.version)"], capture_output=True, text=True, check=False)
        return words.stdout.rstrip("\n")
    return None


def _has_pip() -> bool:
    """Whether this Python's own pip can install into the environment, which saves unpacking another."""
    ask = [sys.executable, "-m", "pip", "--python", sys.executable, "--version"]
    return subprocess.run(ask, capture_output=True, check=False).returncode == 0


def _install_venv() -> None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failure("this Python has no venv module; on Debian and Ubuntu: apt-get install python3-venv")
    _apt("python3-venv")


def _apt(package: str) -> None:
    say(f"installing {package} with apt-get")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    _run(["apt-get", "update", "-qq"], "apt-get update", check=False)
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package], "apt-get install", environ=environ)


def _pip(*requirements: str):
    say(f"installing {' and '.join(requirements)}: half a minute, longer over a slow line")
    pip = [str(PYTHON), "-m", "pip"] if (VENV / "bin" / "pip").exists() else [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    files = [word for name in requirements for word in ("-r", str(ROOT / name))]
    return _begin([*pip, *PIP, *files], f"pip install of {' and '.join(requirements)}")


def _npm() -> list:
    """Brings the browser's libraries: with the machine's npm, else with one from a wheel."""
    if _is_stamped(MODULES, *LOCKED):
        return []
    npm = shutil.which("npm")
    if npm is None:
        say("this machine has no npm; bringing one")
        _finish([_pip(NODE)])
        npm = str(VENV / "bin" / "npm")
    say("installing package-lock.json")
    return [_begin([npm, "ci", "--loglevel=error", "--prefix", str(ROOT)], "npm ci")]


def _begin(argv: list[str], name: str, environ: dict[str, str] | None = None):
    words = tempfile.TemporaryFile("w+")  # noqa: SIM115 (read when the process has ended)
    path = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environ = {**(environ or os.environ), "PATH": path}
    return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=words, stderr=words, env=environ), words, name


def _finish(begun: list) -> None:
    """Waits for all; raises Failure with the last words of the first that failed."""
    codes = [_wait(process, name) for process, _, name in begun]
    for code, (_, words, name) in zip(codes, begun, strict=True):
        with words:
            if code:
                words.seek(0)
                raise Failure(f"{name} failed:\n{''.join(words.readlines()[-15:])}")


def _wait(process: subprocess.Popen, name: str) -> int:
    """The exit code; says now and then that it is still at work."""
    while True:
        try:
            return process.wait(TICK)
        except subprocess.TimeoutExpired:
            say(f"… {name}")


def _run(argv: list[str], name: str, *, check: bool = True, fix=None, environ: dict[str, str] | None = None) -> None:
    begun = _begin(argv, name, environ)
    try:
        _finish([begun])
    except Failure:
        if fix:
            fix()
            return _run(argv, name, environ=environ)
        if check:
            raise
    return None


def chromium() -> str:
    """The path of a Chromium for the browser tests; installs Debian's where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Failure("the browser tests need Chromium; on Debian and Ubuntu: apt-get install chromium")
    _apt("chromium")
    return chromium()


def become(*arguments: str) -> None:
    """Goes on as the environment's Python, which finds the project but nothing of the current folder."""
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    programs = f"{VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "PATH": programs, "BOOTSTRAP_BEGAN": str(BEGAN)}
    os.execve(PYTHON, [str(PYTHON), "-P", *arguments], environ)


def main(action) -> None:
    """Runs a command's own part; a failure is one message and exit code 1, ctrl-c is 130."""
    if sys.version_info < (3, 11):  # noqa: UP036 (whoever has an older one should read a sentence)
        sys.exit("Claimcheck needs Python 3.11 or newer")
    try:
        action()
    except Failure as failure:
        sys.exit(f"{Path(sys.argv[0]).name}: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)
