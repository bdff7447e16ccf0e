"""nginx, which sends the bodies of recorded responses from files."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.benchmarks.recorded_responses import Response
from tests.benchmarks.servers import HOST

NGINX = "nginx"
PROGRAM = shutil.which(NGINX)
_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr;
events {{}}
http {{
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  default_type application/json;
  map_hash_bucket_size 512;
  map $request_uri $file {{ {files} }}
  server {{
    listen {host}:{port};
    root {folder};
    location / {{ try_files /$file =404; }}
  }}
}}
"""


def make_command(folder: Path, responses: Mapping[str, Response], port: int) -> list[str]:
    """Write the bodies and the configuration into a new folder; return the command that serves them."""
    folder.mkdir()
    files = {path: f"{number}.json" for number, path in enumerate(responses)}
    for path, name in files.items():
        (folder / name).write_bytes(responses[path].body)
    names = " ".join(f'"{path}" {name};' for path, name in files.items())
    configuration = folder / "nginx.conf"
    text = _CONFIGURATION.format(folder=folder, files=names, host=HOST, port=port)
    configuration.write_text(text, encoding="utf-8")
    return [PROGRAM or NGINX, "-e", "stderr", "-p", str(folder), "-c", str(configuration)]
