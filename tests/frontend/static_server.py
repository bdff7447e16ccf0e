"""A web server for static sites, like those of hosting services."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit


class _Handler(SimpleHTTPRequestHandler):
    """Serves files; follows the rules of `_redirects`, and responds with `404.html` to unknown paths."""

    # On Windows, the registry can name other types.
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".html": "text/html; charset=utf-8",
        ".xml": "application/xml",
    }

    def send_head(self) -> Any:
        folder = Path(self.directory)
        path = urlsplit(self.path).path
        rules = folder / "_redirects"
        for line in rules.read_text(encoding="utf-8").splitlines() if rules.exists() else []:
            if line.startswith("#"):
                continue
            old, new, status = line.split()
            if unquote(old) == unquote(path):
                self.send_response(int(status))
                self.send_header("Location", new)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None
        return super().send_head()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / "404.html"
        if code != 404 or not page.exists():
            super().send_error(code, message, explain)
            return
        body = page.read_bytes()
        self.send_response(404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Serve the files of a folder in a thread; yield the origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join(60)
