"""Calls to other services: an HTTP client with limits, which connects only to permitted hosts."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, quote, urlsplit

from blogapi.rendering.characters import FORBIDDEN_CHARACTER
from blogapi.settings import encode_host

# Networks that are not global, although older versions of Python treat them as global.
_NON_GLOBAL_NETWORKS = (ip_network("192.0.0.0/24"), ip_network("64:ff9b:1::/48"), ip_network("3fff::/20"))
# The characters in a path or a query that are not percent-encoded, besides letters, digits and `_.-~`.
_UNQUOTED_CHARACTERS = "%/?:@!$&'()*+,;=~"
# Networks of IPv6 addresses whose last 32 bits are an IPv4 address (NAT64, IPv4-compatible).
_IPV4_EMBEDDING_NETWORKS = (ip_network("64:ff9b::/96"), ip_network("::/96"))


class RefusedAddress(Exception):
    """The blog must not send a request to this address; the message is a sentence for admins."""


def parse_permitted_url(url: str, allowed_hosts: Collection[str]) -> SplitResult:
    """Return the parts of an absolute URL, converted to ASCII with IDNA and percent-encoding.

    Raises RefusedAddress if the URL is invalid, contains credentials or a fragment, or has another scheme
    than `https`; for an allowed host, `http` is accepted too.
    """
    try:
        parts = urlsplit(url)
        name = parts.hostname or ""
        host, port = encode_host(f"[{name}]" if ":" in name else name), parts.port
        path, query = (quote(part, safe=_UNQUOTED_CHARACTERS) for part in (parts.path, parts.query))
    except ValueError:
        raise RefusedAddress("This is not a URL; enter one that begins with https://.") from None
    if parts.scheme not in ("http", "https") or not 0 < len(host) < 254 or any(map(str.isspace, url)):
        raise RefusedAddress("Enter an absolute URL that begins with https://.")
    if _is_ip_address(host) and host not in allowed_hosts and not is_on_internet(host.strip("[]")):
        raise RefusedAddress(_describe_private_address(host.strip("[]")))
    if "@" in parts.netloc or parts.fragment:
        raise RefusedAddress("The URL must not contain a user name, a password or a fragment.")
    if parts.scheme == "http" and host not in allowed_hosts:
        raise RefusedAddress("Use https://; the setting WEBHOOK_HOSTS can allow http:// for a host.")
    return parts._replace(netloc=host if port is None else f"{host}:{port}", path=path, query=query)


def resolve_host(parts: SplitResult, allowed_hosts: Collection[str]) -> list[str]:
    """Return the IP addresses of the host in a parsed URL, in the order in which to try them.

    Raises RefusedAddress if the host has no address, or if one of its addresses is not on the internet and
    the host is not allowed.
    """
    host = str(parts.hostname)
    try:
        found = socket.getaddrinfo(host, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise RefusedAddress(f"{host} has no address; check the name.") from None
    addresses = list(dict.fromkeys(str(address[0]) for *_, address in found))
    if host not in allowed_hosts and f"[{host}]" not in allowed_hosts:
        for address in addresses:
            if not is_on_internet(address):
                raise RefusedAddress(_describe_private_address(address))
    return addresses


def _describe_private_address(address: str) -> str:
    return f"{address} is in a private network. The setting WEBHOOK_HOSTS can allow it."


def _is_ip_address(host: str) -> bool:
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


CALL_TIMEOUT_SECONDS = 10.0
MAX_ANSWER_BYTES = 64 * 1024
# The maximum number of characters of the text, and of each header, in an Answer.
MAX_TEXT_LENGTH, MAX_HEADER_LENGTH = 1024, 500


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call; without an answer, `status` is None and `error` is the reason.

    `text` is the beginning of the body, and `seconds` is the duration of the call. `retry_after` and
    `location` are headers, shortened to MAX_HEADER_LENGTH characters. In all texts, control characters are
    replaced.
    """

    status: int | None
    error: str
    retry_after: str = ""
    location: str = ""
    text: str = ""
    seconds: float = 0.0


def call_url(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    allowed_hosts: Collection[str],
    seconds: float = CALL_TIMEOUT_SECONDS,
    method: str = "POST",
    text_length: int = MAX_TEXT_LENGTH,
    mask: Callable[[str], str] = str,
) -> Answer:
    """Send a request and return the answer with the first `text_length` characters of its text.

    Redirects are not followed. `mask` hides secrets in the texts before they are shortened. Errors are not
    raised but returned in the answer.
    """
    started = time.monotonic()
    deadline = started + seconds
    status, error, received, data = None, "", dict[str, str](), bytearray()
    try:
        parts = parse_permitted_url(url, allowed_hosts)
        addresses = resolve_host(parts, allowed_hosts)
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        pinned = _PinnedTlsConnection if parts.scheme == "https" else _PinnedConnection
        # Without a port, `http.client` takes the last group of an IPv6 address as the port.
        port = pinned.default_port if parts.port is None else parts.port
        connection = pinned(str(parts.hostname), port, addresses, deadline)
        # The timeout of the socket applies to each read. Without this timer, a receiver that sends a byte
        # every few seconds could keep the call open.
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), _abort_connection, [connection])
        timer.daemon = True
        timer.start()
        try:
            connection.request(method, path, None if method == "GET" else body, dict(headers))
            response = connection.getresponse()
            status = response.status
            received = {name.lower(): value for name, value in response.getheaders()}
            # Ignore a body that ends too early, because only the status matters. Use `read1`, because `read`
            # would read without a limit if a chunk declares the size -1.
            with suppress(OSError, HTTPException, ValueError):
                while len(data) < MAX_ANSWER_BYTES and (part := response.read1(MAX_ANSWER_BYTES)):
                    data += part
        finally:
            timer.cancel()
            connection.close()
    except RefusedAddress as refusal:
        error = str(refusal)
    except (OSError, HTTPException, ValueError) as problem:
        error = _describe_failure(problem, time.monotonic() - started, seconds)
    return Answer(
        status,
        error,
        _clean_header(received.get("retry-after", "")),
        _clean_header(received.get("location", ""), mask),
        # Mask more text than is returned: `mask` does not recognise a secret that is cut off at the end.
        FORBIDDEN_CHARACTER.sub("�", mask(data[: 16 * text_length].decode("utf-8", "replace"))[:text_length]),
        time.monotonic() - started,
    )


def _clean_header(value: str, mask: Callable[[str], str] = str) -> str:
    text = value.encode("latin-1").decode("utf-8", "replace")
    return " ".join(FORBIDDEN_CHARACTER.sub("�", mask(text)).split())[:MAX_HEADER_LENGTH]


def _describe_failure(problem: Exception, elapsed: float, limit: float) -> str:
    if elapsed >= limit or isinstance(problem, TimeoutError):
        return f"No answer in {limit:.0f} s."
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"The certificate is not valid: {problem.verify_message}."
    if isinstance(problem, ssl.SSLError):
        return "The server does not speak TLS."
    if isinstance(problem, ConnectionRefusedError):
        return "The server refuses the connection."
    return "The connection ended before there was an answer."


def _abort_connection(connection: _PinnedConnection | _PinnedTlsConnection) -> None:
    sock = connection.opened
    if sock is not None:
        # Unlike `close`, `shutdown` ends a read that is waiting in another thread.
        with suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)


@cache
def _get_tls_context() -> ssl.SSLContext:
    # The context is cached, because loading the certificate authorities takes longer than a call.
    return ssl.create_default_context()


def _get_time_left(deadline: float) -> float:
    """Return the seconds until the deadline (a monotonic time); raises TimeoutError if it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _open_socket(addresses: list[str], port: int, deadline: float) -> socket.socket:
    """Connect to the first address that answers; the remaining addresses share the remaining time."""
    problem: OSError | None = None
    for number, address in enumerate(addresses):
        seconds = _get_time_left(deadline) / (len(addresses) - number)
        try:
            return socket.create_connection((address, port), seconds)
        except OSError as error:
            problem = error
    raise problem or OSError("no address")


class _PinnedConnection(HTTPConnection):
    """A connection to one of the given addresses, without another DNS lookup, that ends at the deadline."""

    def __init__(self, host: str, port: int, addresses: list[str], deadline: float) -> None:
        super().__init__(host, port)
        self._addresses, self._deadline = addresses, deadline
        #: The socket; unlike `sock`, it stays set while an answer with `Connection: close` is read.
        self.opened: socket.socket | None = None

    def connect(self) -> None:
        """Connect to the first address that answers."""
        self.sock = self.opened = _open_socket(self._addresses, self.port, self._deadline)
        # If the timer has fired before the socket existed, this raises TimeoutError.
        self.sock.settimeout(_get_time_left(self._deadline))


class _PinnedTlsConnection(HTTPSConnection):
    """A TLS connection to one of the given addresses; the certificate must match the host."""

    def __init__(self, host: str, port: int, addresses: list[str], deadline: float) -> None:
        super().__init__(host, port, context=_get_tls_context())
        self._addresses, self._deadline = addresses, deadline
        self.opened: socket.socket | None = None

    def connect(self) -> None:
        """Connect to the first address that answers, and start TLS."""
        plain = _open_socket(self._addresses, self.port, self._deadline)
        tls = _get_tls_context().wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)
        # Set `opened` before the handshake, so that `_abort_connection` can end the handshake.
        self.sock = self.opened = tls
        tls.settimeout(_get_time_left(self._deadline))
        tls.do_handshake()
