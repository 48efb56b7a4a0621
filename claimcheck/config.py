"""The desk's settings: read from the environment once, checked, and then never changed.

A setting that cannot be used stops the boot with its name and the fix.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

ROOT = Path(__file__).parents[1]
PREFIX = "CLAIMCHECK_"
PREFIXED = ("home", "demo", "demo_password")  # the attributes whose variable carries the prefix
SECRETS = (
    "database_url", "database_url_web", "database_url_worker", "redis_url", "streams_url", "s3_access_key", "s3_secret_key", "secret_key",
    "demo_password", "smtp_url", "alert_secret",
)  # fmt: skip
OTEL = "python3 -m pip --python .venv/bin/python install --no-deps --require-hashes -r requirements-otel.txt"
WELL_KNOWN = ("changeme", "secretkey", "yoursecret", "insecure", "default", "example", "password", "0123456789")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class SettingsError(Exception):
    """A setting is missing, unknown or unusable; each line names one and says what to do."""


def variable(attribute: str) -> str:
    """The name of the environment variable behind an attribute of Settings."""
    return (PREFIX if attribute in PREFIXED else "") + attribute.upper()


def _split(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Networks = Annotated[tuple[Network, ...], BeforeValidator(_split)]


def _origin(value: str | None) -> str | None:
    parts = urlsplit(value or "")
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query):
        raise ValueError("it is not an origin")
    return value and value.rstrip("/")


class Settings(BaseSettings):
    """Each attribute is the variable of the same name in capitals; `home` and `demo…` carry CLAIMCHECK_ before it.

    A description completes the sentence "NAME should be …".
    """

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    port: int = Field(default=8000, ge=1, le=65535, description="a port number from 1 to 65535")
    host: str = Field(default="127.0.0.1", min_length=1, description="the address to listen on, as 127.0.0.1")
    base_url: str = Field(default="", description="the address that people open, as https://desk.example.org, without a path")
    trusted_proxies: Networks = Field(default=(), description="a comma list of networks, as 10.0.0.0/8")
    home: Path = Field(default=ROOT / "var", description="the folder that keeps everything, as /srv/claimcheck")
    database_url: str | None = Field(default=None, repr=False, description="the owner's postgresql://USER:PASSWORD@HOST/NAME")
    database_url_web: str | None = Field(default=None, repr=False, description="claimcheck_web's postgresql://USER:PASSWORD@HOST/NAME")
    database_url_worker: str | None = Field(default=None, repr=False, description="claimcheck_worker's postgresql://USER:PASSWORD@HOST/NAME")
    redis_url: str | None = Field(default=None, repr=False, description="a redis://, rediss:// or unix:// address")
    streams_url: str | None = Field(default=None, repr=False, description="a redis://, rediss:// or unix:// address, not that of REDIS_URL")
    drop_folder: Path | None = Field(default=None, description="a folder for files of messages, as /srv/breaks")
    s3_endpoint: str | None = Field(default=None, description="the store's address, as https://s3.example.org, without a path")
    s3_access_key: str | None = Field(default=None, repr=False, description="the store's access key")
    s3_secret_key: str | None = Field(default=None, repr=False, description="the store's secret key")
    s3_bucket: str = Field(default="claimcheck", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", description="a bucket's name")
    secret_key: str | None = Field(
        default=None, repr=False,
        description="at least 32 bytes of your own, a former key on a line below: python3 -c 'import secrets; print(secrets.token_urlsafe(48))'",
    )  # fmt: skip
    demo: bool = Field(default=True, description="0 for an empty desk, or 1")
    demo_password: str | None = Field(default=None, repr=False, min_length=12, max_length=200, description="a password of 12 to 200 characters")
    workers: int = Field(default=2, ge=1, le=64, description="how many workers apply outcomes, from 1 to 64")
    smtp_url: str | None = Field(default=None, repr=False, description="a mail server, as smtp://USER:PASSWORD@HOST:PORT or smtps://…")
    mail_from: str = Field(
        default="claimcheck@localhost", pattern=r"^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$", max_length=254, description="the address that letters come from"
    )
    alert_url: str | None = Field(default=None, description="where alerts to operators are posted, as https://hooks.example.org/desk")
    alert_secret: str | None = Field(
        default=None, repr=False, pattern=r"^whsec_[A-Za-z0-9+/=]{24,}$", description="what signs them: whsec_ and at least 24 bytes in base64"
    )
    otlp_endpoint: str | None = Field(default=None, description="where spans are sent, as http://127.0.0.1:4318, without a path")
    webhook_allow: Networks = Field(default=(), description="a comma list of networks, as 10.0.0.0/8,fd00::/8")

    @classmethod
    def settings_customise_sources(cls, settings_cls: type[BaseSettings], **sources: PydanticBaseSettingsSource) -> Any:  # type: ignore[override]
        return sources["init_settings"], Environment(settings_cls)

    @field_validator("base_url", "s3_endpoint", "otlp_endpoint")
    @classmethod
    def _is_origin(cls, value: str | None) -> str | None:
        return _origin(value)

    @field_validator("home", "drop_folder")
    @classmethod
    def _is_absolute(cls, value: Path | None) -> Path | None:
        return value and value.expanduser().absolute()

    @field_validator("database_url", "database_url_web", "database_url_worker")
    @classmethod
    def _is_postgres(cls, value: str | None) -> str | None:
        return _starts(value, "postgresql://", "postgres://", "host=", "service=")

    @field_validator("redis_url", "streams_url")
    @classmethod
    def _is_redis(cls, value: str | None) -> str | None:
        return _starts(value, "redis://", "rediss://", "unix://")

    @field_validator("smtp_url")
    @classmethod
    def _is_smtp(cls, value: str | None) -> str | None:
        if value is not None and not urlsplit(value).hostname:
            raise ValueError("it names no server")
        return _starts(value, "smtp://", "smtps://")

    @field_validator("secret_key")
    @classmethod
    def _is_secret(cls, value: str | None) -> str | None:
        for line in value.split("\n") if value is not None else ():
            letters = "".join(filter(str.isalnum, line)).lower()
            if len(line.encode()) < 32:
                raise ValueError("it is too short")
            if len(set(line)) < 8 or any(word in letters for word in WELL_KNOWN):
                raise ValueError("it can be guessed")
        return value

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, values: dict[str, Any]) -> dict[str, Any]:
        external = any(values.get(name) for name in ("database_url", "database_url_web", "redis_url", "s3_endpoint"))
        return {"demo": not external, **values}

    @model_validator(mode="after")
    def _name_base_url(self) -> Settings:
        if not self.base_url:
            object.__setattr__(self, "base_url", f"http://{_in_url(self.host)}:{self.port}")
        return self

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the desk."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def environ(self) -> dict[str, str]:
        """The variables that give these very settings to a child process."""
        return {variable(name): _text(value) for name, value in self if value not in (None, "", ())}


def _starts(value: str | None, *beginnings: str) -> str | None:
    if value is not None and not value.startswith(beginnings):
        raise ValueError("it is not such an address")
    return value


def _in_url(host: str) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 (everywhere is no place to open)
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


class Environment(PydanticBaseSettingsSource):
    """Reads the variables, and the files that NAME_FILE variables point at. An empty variable is an absent one."""

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ARG002 (its interface)
        return read(field_name), field_name, False

    def __call__(self) -> dict[str, Any]:
        refuse_unknown()
        values = {name: read(name) for name in self.settings_cls.model_fields}
        return {name: value for name, value in values.items() if value}


def read(attribute: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """One setting's raw text. Raises SettingsError where it is given twice or its file cannot be read."""
    name = variable(attribute)
    path = environ.get(f"{name}_FILE") if attribute in SECRETS else None
    if not path:
        return environ.get(name)
    if environ.get(name):
        raise SettingsError(f"{name} and {name}_FILE are both set; unset one of them")
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{name}_FILE should name a readable text file: {error}") from error


def names() -> set[str]:
    """Every variable that means something."""
    return {variable(name) for name in Settings.model_fields} | {f"{variable(name)}_FILE" for name in SECRETS}


def refuse_unknown(environ: Mapping[str, str] = os.environ) -> None:
    """Raises SettingsError for a CLAIMCHECK_… variable that no setting has: a misspelt one must not be ignored."""
    known = sorted(names())
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError("\n".join(f"{name} is not a setting{_meant(name, known)}; unset it or correct it" for name in unknown))


def _meant(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def load() -> Settings:
    """The settings of this process. Raises SettingsError, whose message is for people."""
    try:
        settings = Settings()
    except ValidationError as error:
        raise SettingsError("\n".join(sorted(_complaint(fault) for fault in error.errors()))) from None
    if settings.otlp_endpoint and not _can_send_spans():
        raise SettingsError(f"OTLP_ENDPOINT needs packages that are not installed; run: {OTEL}, or unset it")
    return settings


def _can_send_spans() -> bool:
    """Whether what requirements-otel.txt pins is there."""
    with contextlib.suppress(ModuleNotFoundError):
        return all(importlib.util.find_spec(name) for name in ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"))
    return False


def _complaint(fault: Any) -> str:
    attribute = str(fault["loc"][0])
    given = "" if attribute in SECRETS else f", not {read(attribute)!r}"
    return f"{variable(attribute)} should be {Settings.model_fields[attribute].description}{given}"


def require(settings: Settings, *attributes: str) -> None:
    """Raises SettingsError that names each of these settings that is missing."""
    missing = [name for name in attributes if not getattr(settings, name)]
    if missing:
        raise SettingsError("\n".join(f"{variable(n)} is missing; set it to {Settings.model_fields[n].description}" for n in missing))
