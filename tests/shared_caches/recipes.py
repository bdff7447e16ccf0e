"""Runs caches and proxies with the configurations of the guide."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

from tests.contracts.guide import GUIDE

# Debian installs both into a folder that is not in the path of every user.
_PATH = "/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin"
# The tests connect to the caches by files of sockets, which Python lacks on Windows.
_HAS_SOCKET_FILES = hasattr(socket, "AF_UNIX")
NGINX = (_HAS_SOCKET_FILES and (shutil.which("nginx") or shutil.which("nginx", path=_PATH))) or None
VARNISH = (_HAS_SOCKET_FILES and (shutil.which("varnishd") or shutil.which("varnishd", path=_PATH))) or None

_NGINX = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  {recipe}
}}
"""


def read_recipe(name: str, page_name: str = "cdn.md") -> str:
    """Return the configuration of the guide for this cache or proxy."""
    page = (GUIDE / page_name).read_text(encoding="utf-8")
    (recipe,) = re.findall(rf"^<!-- recipe: {name} -->\n```\w+\n(.*?)^```$", page, re.M | re.S)
    return str(recipe)


def replace_each(text: str, replacements: dict[str, str]) -> str:
    """Return the text with these parts, each of which it must contain once, replaced."""
    for old, new in replacements.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@contextmanager
def run_nginx(folder: Path, port: int) -> Iterator[Callable[[], HTTPConnection]]:
    """Run nginx as a cache of the service at this port; yield a function that returns a new connection."""
    changes = {"/var/cache/nginx/blogapi": str(folder / "cache"), "127.0.0.1:8000": f"127.0.0.1:{port}"}
    with run_recipe(folder, replace_each(read_recipe("nginx"), changes)) as connect:
        yield connect


@contextmanager
def run_recipe(folder: Path, recipe: str) -> Iterator[Callable[[], HTTPConnection]]:
    """Run nginx with this recipe; yield a function that returns a new connection."""
    path = folder / "socket"
    recipe = replace_each(recipe, {"listen 80;": f"listen unix:{path};"})
    configuration = folder / "nginx.conf"
    configuration.write_text(_NGINX.format(folder=folder, recipe=recipe), encoding="utf-8")
    command = [NGINX, "-p", str(folder), "-c", str(configuration), "-e", str(folder / "error.log")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command)
    try:
        yield lambda: _connect(path, process)
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def run_varnish(folder: Path, port: int) -> Iterator[Callable[[], HTTPConnection]]:
    """Run Varnish in front of the service at this port; yield a function that returns a new connection."""
    path = folder / "socket"
    recipe = replace_each(
        read_recipe("varnish"), {'"8000"': f'"{port}"', '"127.0.0.1";\n    "::1"': '"0.0.0.0"'}
    )
    (folder / "recipe.vcl").write_text(recipe, encoding="utf-8")
    command = [VARNISH, "-F", "-n", folder / "work", "-f", folder / "recipe.vcl", "-a", path, "-T", "none"]
    # The jail would change to a user that cannot read the folder.
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*command, "-j", "none", "-s", "malloc,16m"], stdout=log, stderr=log)
    try:
        yield lambda: _connect(path, process)
    finally:
        process.terminate()
        process.wait(30)


def _connect(path: Path, process: subprocess.Popen[bytes]) -> HTTPConnection:
    """Return a connection to the cache, which creates the file of its socket before it listens."""
    while True:
        connection = HTTPConnection("blog.example.org")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        try:
            connection.sock.connect(str(path))
        except OSError:
            connection.sock.close()
            assert process.poll() is None, "the cache has ended"
            time.sleep(0.02)
        else:
            return connection


class Response:
    """A response that was read to its end."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def is_public(self) -> bool:
        return str(self.headers["Cache-Control"]).startswith("public")


def send(connection: HTTPConnection, path: str, method: str = "GET", **headers: str) -> Response:
    """Send a request; return the response. An underscore in the name of a header stands for a hyphen."""
    connection.request(method, path, headers={name.replace("_", "-"): headers[name] for name in headers})
    return Response(connection.getresponse())
