"""Settings: every one is typed, a bad one stops the boot and says how to mend it."""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path

import pytest

from claimcheck import config

GOOD_KEY = "b7Qe-41xZs_0pLmNvT6yRw2KcJ9uHd8aFg3i"
ALERT_SECRET = "whsec_" + "QWRhIEJlbiBDaGkgRG92IEV2ZSBBZGEgQmVuIENoaSE="


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch):
    for name in list(os.environ):
        if name in config.names() or name.startswith(config.PREFIX):
            monkeypatch.delenv(name)


def refusal(monkeypatch, **variables):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(config.SettingsError) as caught:
        config.load()
    return str(caught.value)


def test_it_starts_with_defaults_that_need_no_setting():
    settings = config.load()
    assert (settings.host, settings.port, settings.base_url) == ("127.0.0.1", 8000, "http://127.0.0.1:8000")
    assert settings.home == config.ROOT / "var"
    assert settings.demo
    assert settings.is_loopback


def test_it_reads_each_variable_under_its_name(monkeypatch):
    given = {
        "PORT": "8080", "HOST": "0.0.0.0", "BASE_URL": "https://desk.example.org/", "TRUSTED_PROXIES": "10.0.0.0/8, ::1/128",  # noqa: S104
        "CLAIMCHECK_HOME": "/srv/desk", "DATABASE_URL": "postgresql://o@db/c", "DATABASE_URL_WEB": "postgresql://w@db/c",
        "DATABASE_URL_WORKER": "postgresql://k@db/c", "REDIS_URL": "rediss://r/0", "STREAMS_URL": "redis://s/0", "DROP_FOLDER": "/srv/breaks", "S3_ENDPOINT": "https://s3.example.org",
        "S3_ACCESS_KEY": "ak", "S3_SECRET_KEY": "sk", "S3_BUCKET": "desk", "SECRET_KEY": GOOD_KEY, "CLAIMCHECK_DEMO": "0",
        "CLAIMCHECK_DEMO_PASSWORD": "thirteen long", "WORKERS": "4", "SMTP_URL": "smtps://u:p@mail.example.org", "MAIL_FROM": "desk@example.org",
        "WEBHOOK_ALLOW": "127.0.0.0/8", "ALERT_URL": "https://hooks.example.org/desk", "ALERT_SECRET": ALERT_SECRET,
        "OTLP_ENDPOINT": "http://127.0.0.1:4318",
    }  # fmt: skip
    assert set(given) == {config.variable(name) for name in config.Settings.model_fields}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    settings = config.load()
    assert settings.webhook_allow == (ipaddress.ip_network("127.0.0.0/8"),)
    assert settings.trusted_proxies == (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("::1/128"))
    assert settings.base_url == "https://desk.example.org"
    assert settings.home == Path("/srv/desk")
    assert not settings.demo
    assert not settings.is_loopback


def test_it_hands_the_same_settings_to_a_child(monkeypatch):
    settings = config.Settings(secret_key=GOOD_KEY, webhook_allow="127.0.0.0/8,::1/128", redis_url="redis://r", demo=True, workers=3)
    for name, value in settings.environ().items():
        monkeypatch.setenv(name, value)
    assert config.load() == settings


@pytest.mark.parametrize("attribute", config.SECRETS)
def test_it_reads_every_secret_from_a_file(monkeypatch, tmp_path, attribute):
    text = {"redis_url": "redis://r/0", "streams_url": "redis://s/0", "secret_key": GOOD_KEY, "smtp_url": "smtp://mail.example.org", "alert_secret": ALERT_SECRET}.get(attribute, "postgresql://u:p@db/c")
    (tmp_path / "secret").write_text(f"{text}\n")
    monkeypatch.setenv(f"{config.variable(attribute)}_FILE", str(tmp_path / "secret"))
    assert getattr(config.load(), attribute) == text


def test_it_refuses_a_secret_given_twice_and_a_file_that_is_not_there(monkeypatch):
    assert "S3_SECRET_KEY_FILE" in refusal(monkeypatch, S3_SECRET_KEY_FILE="/nowhere/at/all")
    assert "unset one" in refusal(monkeypatch, S3_SECRET_KEY="sk")


def test_it_refuses_an_unknown_prefixed_setting_and_names_the_likely_one(monkeypatch):
    assert refusal(monkeypatch, CLAIMCHECK_HOEM="/x") == (
        "CLAIMCHECK_HOEM is not a setting (did you mean CLAIMCHECK_HOME?); unset it or correct it"
    )


BAD = [
    ("PORT", "eighty"), ("PORT", "0"), ("PORT", "70000"), ("BASE_URL", "desk.example.org"), ("BASE_URL", "https://a/path"),
    ("TRUSTED_PROXIES", "10.0.0.1/8"), ("TRUSTED_PROXIES", "2"), ("DATABASE_URL", "mysql://x"), ("DATABASE_URL_WEB", "x"),
    ("DATABASE_URL_WORKER", "x"), ("REDIS_URL", "localhost:6379"), ("S3_ENDPOINT", "s3.example.org"), ("S3_BUCKET", "No Bucket"),
    ("SECRET_KEY", "short"), ("SECRET_KEY", "a" * 40), ("SECRET_KEY", "change-me-change-me-change-me-please"),
    ("CLAIMCHECK_DEMO", "perhaps"), ("CLAIMCHECK_DEMO_PASSWORD", "eleven long"), ("WORKERS", "0"), ("WORKERS", "many"),
    ("WEBHOOK_ALLOW", "localhost"), ("SMTP_URL", "mail.example.org"), ("MAIL_FROM", "nobody"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_it_names_the_setting_and_the_fix_and_never_shows_a_secret(monkeypatch, name, value):
    message = refusal(monkeypatch, **{name: value})
    assert message.startswith(f"{name} should be ")
    assert (value in message) == (name not in map(config.variable, config.SECRETS)) or len(value) < 6


def test_it_names_all_bad_settings_at_once(monkeypatch):
    assert len(refusal(monkeypatch, PORT="x", WORKERS="x").splitlines()) == 2


def test_it_takes_an_empty_variable_as_absent(monkeypatch):
    for name in sorted(config.names()):
        monkeypatch.setenv(name, "")
    assert config.load() == config.Settings()


def test_it_cannot_be_changed_and_does_not_print_secrets():
    settings = config.Settings(secret_key=GOOD_KEY, database_url="postgresql://o:hidden@db/c", redis_url="redis://:hidden@r")
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1
    assert not re.search(f"hidden|{GOOD_KEY}", repr(settings) + str(settings))


def test_it_knows_no_demo_beside_servers_of_one_s_own(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "redis://r/0")
    assert not config.load().demo


def test_it_says_what_is_missing():
    with pytest.raises(config.SettingsError, match=r"^DATABASE_URL_WEB is missing; set it to .*\nSECRET_KEY is missing"):
        config.require(config.Settings(), "database_url_web", "secret_key", "host")


def test_it_documents_every_setting_and_which_are_secret():
    page = (config.ROOT / "docs" / "settings.md").read_text()
    rows = dict(re.findall(r"^\| `([A-Z0-9_]+)`(.*?) \|", page, re.MULTILINE))
    assert set(rows) == {config.variable(name) for name in config.Settings.model_fields}
    assert {name for name, mark in rows.items() if "secret" in mark} == {config.variable(name) for name in config.SECRETS}


def test_it_takes_a_former_secret_key_on_a_line_below(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", f"{GOOD_KEY}\n{GOOD_KEY[::-1]}")
    assert config.load().secret_key == f"{GOOD_KEY}\n{GOOD_KEY[::-1]}"
    assert "SECRET_KEY should be at least 32 bytes" in refusal(monkeypatch, SECRET_KEY=f"{GOOD_KEY}\nshort")
