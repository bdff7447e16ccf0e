"""nginx accepts the list of redirects and makes them, whatever the path patterns of the site contain."""

from __future__ import annotations

import http.client
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager
from urllib.parse import quote, unquote

import pytest

from tests.conftest import ARTICLES
from tests.contracts.guide import GUIDE
from tests.delivery.redirects.test_routes import HOSTILE_PATTERNS, REDIRECTS
from tests.site.conftest import set_site as set_site

NGINX = shutil.which("nginx")
pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="nginx is not installed"),
    pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="Windows has no Unix sockets"),
]

CONFIGURATION = """
daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 16; }}
http {{
  access_log off;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  {maps}
  server {{
    listen unix:{folder}/socket;
    {rules}
    location / {{ return 404; }}
  }}
}}
"""


def read_recipe():
    """Return the lines of the guide outside the block `server`, and those in it."""
    page = (GUIDE / "reading.md").read_text(encoding="utf-8")
    recipes = "".join(re.findall("^```nginx\n(.*?)^```$", page, re.M | re.S))
    outside = re.sub("^server {\n(.*?)^}\n", "", recipes, flags=re.M | re.S)
    return outside, "".join(re.findall("^server {\n(.*?)^}\n", recipes, re.M | re.S))


@contextmanager
def run_nginx(folder, client):
    """Run nginx with the redirects; yield a function that returns the status and Location of a path."""
    for name, file in (("nginx", "redirects"), ("nginx-temporary", "temporary"), ("nginx-gone", "gone")):
        lines = client.get(f"{REDIRECTS}?format={name}").text
        (folder / f"{file}.map").write_text(lines, encoding="utf-8")
    configuration = folder / "nginx.conf"
    maps, rules = read_recipe()
    text = CONFIGURATION.format(folder=folder, maps=maps, rules=rules)
    configuration.write_text(text, encoding="utf-8")
    command = [NGINX, "-p", str(folder), "-c", str(configuration), "-e", str(folder / "error.log")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command)
    try:

        def request(path):
            connection = http.client.HTTPConnection("site.example")
            connection.sock = connect(folder / "socket", process)
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            connection.close()
            return response.status, response.headers["Location"]

        yield request
    finally:
        process.terminate()
        process.wait(30)


def connect(path, process):
    """Return a connection to nginx, which creates the file of its socket before it listens."""
    while True:
        sock = socket.socket(socket.AF_UNIX)
        try:
            sock.connect(str(path))
        except OSError:
            sock.close()
            assert process.poll() is None, "nginx has ended"
            time.sleep(0.02)
        else:
            return sock


@pytest.fixture
def folder(tmp_path_factory):
    # The path of a socket has at most 107 bytes.
    return tmp_path_factory.mktemp("n")


@pytest.mark.parametrize("pattern", ["/{slug}/", *HOSTILE_PATTERNS])
def test_nginx_redirects_each_former_address(as_admin, as_reader, make_article, set_site, folder, pattern):
    set_site(url="https://site.example", article_path=pattern)
    for slug in ("first", "最初", "a" * 255, "日" * 80):
        article = make_article(slug=slug)
        as_admin.patch(f"{ARTICLES}{article.uuid}/", json={"slug": f"new-{slug}"[:255]})
    rows = as_reader.get(REDIRECTS).json
    with run_nginx(folder, as_reader) as request:
        for row in rows:
            old, new = (row[name].removeprefix("https://site.example") for name in ("old_url", "new_url"))
            status, location = request(quote(unquote(old), safe="/"))
            assert (status, unquote(location.removeprefix("http://site.example"))) == (308, unquote(new))
            assert request(f"{old}?page=2")[1].endswith("?page=2")
        assert request("/other/")[0] == 404


def test_nginx_makes_the_redirects_of_an_admin(as_admin, as_reader, folder):
    for path, target, status in (
        ("/a b/", "https://other.example/x?y=z", 301),
        ("/for now/", "/$uri;{x}/", 302),
        ('/\u00e9"\\/', "", 410),
    ):
        body = {"path": path, "target": target, "status": status}
        assert as_admin.post(f"{REDIRECTS}own/", json=body).status_code == 201
    with run_nginx(folder, as_reader) as request:
        assert request("/a%20b/") == (308, "https://other.example/x?y=z")
        status, location = request("/for%20now/")
        assert (status, location.removeprefix("http://site.example")) == (302, "/%24uri%3B%7Bx%7D/")
        assert request(quote('/\u00e9"\\/')) == (410, None)
