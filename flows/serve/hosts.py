"""Allowed `Host` and `Origin` headers of the project's servers.

A page whose name resolves to this machine (DNS rebinding) sends its own name as `Host`; a page of another site that
asks across origins sends its `Origin`. Both are refused. A browser cannot be made to rebind an address, so a server
that listens to other machines answers to any address, and to the names that it was given.
"""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
FOREIGN_HOST = "This server answers to its own name only; `medassay serve --name NAME` gives it another."
FOREIGN_ORIGIN = "Pages of other sites may not ask this server."


@dataclass(frozen=True, slots=True)
class Hosts:
    """The names that a server answers to, and whether it answers to every IP address."""

    names: frozenset[str]
    any_address: bool = False

    def refusal(self, hosts: Sequence[str], origins: Sequence[str]) -> tuple[int, str] | None:
        """Return the status and the reason with which a request is refused, None where it is not.

        Args:
            hosts: every `Host` header of the request.
            origins: every `Origin` header of the request.
        """
        if len(hosts) != 1 or not self._known(hosts[0]):
            return 421, FOREIGN_HOST
        if any(not _same_place(origin, hosts[0]) for origin in origins):
            return 403, FOREIGN_ORIGIN
        return None

    def _known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:  # such as `[::1`
            return False
        if name is None:
            return False
        return name in self.names or (self.any_address and _is_address(name))


def hosts_of(host: str, name: str | None = None) -> Hosts:
    """Return what a server that listens at `host` answers to.

    Args:
        host: the address listened at.
        name: by which others reach this machine.
    """
    known = {host.lower(), *LOOPBACK, *([name.lower()] if name else [])}
    if host in LOOPBACK:
        return Hosts(frozenset(known))
    return Hosts(frozenset({*known, socket.gethostname().lower()}), any_address=True)


def _same_place(origin: str, host: str) -> bool:
    """Tell whether an origin is this server's: the name and the port count, since a port is another server."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
