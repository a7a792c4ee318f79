"""What the environment says of connections between tasks; see docs/environment.md."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from placewise.core.environment import read
from placewise.core.errors import InvalidArgumentError, hint

_TIMEOUT_SECONDS = 30.0
_START_SECONDS = 600.0


@dataclass(frozen=True)
class Settings:
    """How long to wait for a silent task, and what callers must show."""

    timeout_seconds: float = _TIMEOUT_SECONDS
    start_seconds: float = _START_SECONDS
    token: str = ""
    certificate: bytes = b""
    key: bytes = b""
    authority: bytes = b""

    @property
    def is_encrypted(self) -> bool:
        """Whether connections use TLS."""
        return bool(self.certificate or self.authority)


def read_settings() -> Settings:
    """Return the settings as the environment has them now."""
    return Settings(
        _seconds("PLACEWISE_CLUSTER_TIMEOUT", _TIMEOUT_SECONDS),
        _seconds("PLACEWISE_CLUSTER_START_TIMEOUT", _START_SECONDS),
        (read("PLACEWISE_CLUSTER_TOKEN") or "").strip(),
        _file("PLACEWISE_CLUSTER_CERTIFICATE"),
        _file("PLACEWISE_CLUSTER_KEY"),
        _file("PLACEWISE_CLUSTER_CA"),
    )


def _seconds(name: str, default: float) -> float:
    text = (read(name) or "").strip()
    if not text:
        return default
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < 1e9:
        said = f"{name} must be a positive number of seconds, received {text!r}"
        raise InvalidArgumentError(None, None, hint(said, f"unset it for {default:g} s"))
    return seconds


def _file(name: str) -> bytes:
    path = (read(name) or "").strip()
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as problem:
        said = f"{name}: cannot read {path}: {problem.strerror}"
        raise InvalidArgumentError(None, None, hint(said, "give the path of a PEM file")) from None
