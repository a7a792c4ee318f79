"""Who may call a server: those who know the token; without one, the hosts of the cluster."""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import socket
import threading
import time
from typing import Any
from urllib.parse import unquote

from placewise.cluster.channels import TOKEN_HEADER
from placewise.cluster.settings import Settings

_RESOLVE_SECONDS = 30.0


class Access:
    """Decides for each caller of a server whether it is answered."""

    def __init__(self, addresses: list[str], settings: Settings) -> None:
        self._hosts = sorted({host_of(address) for address in addresses})
        self._token = settings.token.encode()
        self._known: frozenset[str] = frozenset()
        self._resolved_at = -_RESOLVE_SECONDS
        self._lock = threading.Lock()

    def refusal(self, context: Any) -> str:
        """Return why a caller is not answered; empty if it is."""
        if self._token:
            for key, value in context.invocation_metadata():
                if key == TOKEN_HEADER:
                    shown = value if isinstance(value, bytes) else value.encode()
                    if hmac.compare_digest(shown, self._token):
                        return ""
            return "The token is missing or wrong: set PLACEWISE_CLUSTER_TOKEN to the cluster's."
        host = peer_host(context.peer())
        if host in self._known or host in self._resolved():
            return ""
        return (
            f"{host} is no host of this cluster. Let all tasks and sessions have the same "
            "PLACEWISE_CLUSTER_TOKEN to be answered from other hosts."
        )

    def _resolved(self) -> frozenset[str]:
        with self._lock:
            # Names may get new addresses, when containers restart. Not asked for every stranger.
            if time.monotonic() - self._resolved_at >= _RESOLVE_SECONDS:
                self._resolved_at = time.monotonic()
                self._known = frozenset(ip for host in self._hosts for ip in _addresses(host))
            return self._known


def host_of(address: str) -> str:
    """Return the host of an address such as host:2222 or [::1]:2222."""
    return address.rpartition(":")[0].strip("[]")


def peer_host(peer: str) -> str:
    """Return the address of a caller, as gRPC names it: ipv4:127.0.0.1:4242."""
    kind, _, rest = unquote(peer).partition(":")
    host = rest.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else kind
    return _plain(host)


def _plain(text: str) -> str:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return text
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


def _addresses(host: str) -> set[str]:
    try:
        entries = socket.getaddrinfo(host or "localhost", None)
    except OSError:
        return set()
    addresses = {_plain(str(entry[4][0])) for entry in entries}
    # A task of this machine calls itself, and its neighbours, through the loopback interface too.
    if addresses & _own_addresses():
        addresses |= {"127.0.0.1", "::1"}
    return addresses


def _own_addresses() -> set[str]:
    own = {"127.0.0.1", "::1", "0.0.0.0", "::"}
    with contextlib.suppress(OSError):
        own |= {
            _plain(str(entry[4][0])) for entry in socket.getaddrinfo(socket.gethostname(), None)
        }
    return own
