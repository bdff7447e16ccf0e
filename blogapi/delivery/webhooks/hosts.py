"""Checks that a webhook calls a server on the internet, and not a server in a private network.

Every address of the host is checked. The call then connects to one of the checked addresses, because another
DNS lookup could return other addresses.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, quote, urlsplit

from blogapi.setting_types import host_in_ascii

# Networks that are not global, although older versions of Python say so.
_NON_GLOBAL_NETWORKS = (ip_network("192.0.0.0/24"), ip_network("64:ff9b:1::/48"), ip_network("3fff::/20"))
# The characters in a path or a query that are not percent-encoded, besides letters, digits and `_.-~`.
_UNQUOTED = "%/?:@!$&'()*+,;=~"
# Networks of IPv6 addresses whose last 32 bits are an IPv4 address (NAT64, IPv4-compatible).
_IPV4_EMBEDDING_NETWORKS = (ip_network("64:ff9b::/96"), ip_network("::/96"))


class Refused(Exception):
    """The address of a webhook must not be called; the message is a sentence for admins."""


def parse(url: str, allowed_hosts: Collection[str]) -> SplitResult:
    """Return the parts of an absolute URL, converted to ASCII with IDNA and percent-encoding.

    Raises Refused if the URL is invalid, if it contains credentials or a fragment, or if its scheme is not
    `https`; for an allowed host, `http` is accepted too.
    """
    try:
        parts = urlsplit(url)
        name = parts.hostname or ""
        host, port = host_in_ascii(f"[{name}]" if ":" in name else name), parts.port
        path, query = (quote(part, safe=_UNQUOTED) for part in (parts.path, parts.query))
    except ValueError:
        raise Refused("This is not a URL.") from None
    if parts.scheme not in ("http", "https") or not 0 < len(host) < 254 or any(map(str.isspace, url)):
        raise Refused("Enter an absolute URL that begins with https://.")
    if _is_ip(host) and host not in allowed_hosts and not is_on_internet(host.strip("[]")):
        raise Refused(_describe_private(host.strip("[]")))
    if "@" in parts.netloc or parts.fragment:
        raise Refused("The URL must not contain a user name, a password or a fragment.")
    if parts.scheme == "http" and host not in allowed_hosts:
        raise Refused("Use https://; the setting WEBHOOK_HOSTS can allow http:// for a host.")
    return parts._replace(netloc=host if port is None else f"{host}:{port}", path=path, query=query)


def resolve(parts: SplitResult, allowed_hosts: Collection[str]) -> list[str]:
    """Return the IP addresses of the host in a parsed URL, in the order in which to try them.

    Raises Refused if the host has no address, or if the host is not allowed and one of its addresses is not
    on the internet.
    """
    host = str(parts.hostname)
    try:
        found = socket.getaddrinfo(host, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(f"{host} has no address; check the name.") from None
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    if host not in allowed_hosts and f"[{host}]" not in allowed_hosts:
        for address in addresses:
            if not is_on_internet(address):
                raise Refused(_describe_private(address))
    return addresses


def _describe_private(address: str) -> str:
    return f"{address} is in a private network. The setting WEBHOOK_HOSTS can allow it."


def _is_ip(host: str) -> bool:
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


def is_on_internet(address: str) -> bool:
    """Return whether an IP address belongs to a single host on the internet."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        embedded = _get_ipv4_address(ip)
        if embedded is not None:
            return is_on_internet(str(embedded))
    if any(ip in network for network in _NON_GLOBAL_NETWORKS):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or getattr(ip, "is_site_local", False))


def _get_ipv4_address(ip: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address contains, or None."""
    if any(ip in network for network in _IPV4_EMBEDDING_NETWORKS):
        return IPv4Address(ip.packed[-4:])
    teredo = ip.teredo
    return ip.ipv4_mapped or ip.sixtofour or (teredo and teredo[1])
