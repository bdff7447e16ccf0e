"""Compare the answers of this version about whole blogs with those of a former version, byte by byte.

    python -m tests.contracts.whole_blogs FORMER_CHECKOUT [--postgresql URL] [--corpus FOLDER] [--only NAME]

The former version fills each blog, by its commands and its API. This version upgrades a copy. Then both
versions export their blog and serve it, and get the same requests. Each difference is printed; the exit
status is 1 if there are any. The blogs are `odd` (see `odd_blog`) and, if BLOGAPI_TEST_CORPUS or --corpus
names a folder with real blogs, those in CORPORA. --postgresql names a server and a user who may create
databases; without it, the blogs are SQLite files.

Nothing in a blog depends on the present time, so both versions must give the same answers. Not compared are
the headers in IGNORED_HEADERS, ETags of lists, in the answers to writes the time of the write, and the SEO
records of articles that have none in the database of the former version.
"""

from __future__ import annotations

import argparse
import difflib
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import create_engine, make_url

from tests.audit_hooks.sqlite_files import allow_opening
from tests.contracts import odd_blog, read_requests
from tests.contracts.read_requests import API, Request

ROOT = Path(__file__).parent.parent.parent
#: Folders of the corpus, see `tests/importing/test_corpus.py`.
CORPORA = ("wxr/wp-theme-test-data", "markdown-i18n/sofastack-zh")
PASSWORD = "a password of the test"
IGNORED_HEADERS = {"date", "x-request-id", "set-cookie"}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?")
# A cursor of the changes feed begins with a random tag of the last write.
_CURSOR = re.compile(r'(?<="cursor":")\w+')
_ITEM = re.compile(rf"{API}(articles|pages|categories|tags|authors|media)/[^/?]+/([?]|$)|{API}preview/")
_SHOWN = 120


@dataclass(frozen=True)
class Answer:
    """The status, the headers by lowercase name, and the body of a response."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The value of a JSON body."""
        return json.loads(self.body)


class Client:
    """Sends requests to a server on this machine, always with the same Host."""

    def __init__(self, port: int, keys: dict[str, str]) -> None:
        self.keys, self.cookie = keys, ""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def open(self, request: Request) -> Answer:
        """Send a request with the key of its caller, or with the login if the caller is `login`."""
        headers = {"Host": "api.blog.example", "Accept": "*/*"} | dict(request.headers)
        if request.caller == "login":
            headers["Cookie"] = self.cookie
        elif request.caller:
            headers["X-API-KEY"] = self.keys[request.caller]
        body = request.body
        if body is not None and not isinstance(body, bytes):
            body, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        self._connection.request(request.method, request.path, body, headers)
        response = self._connection.getresponse()
        return Answer(
            response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
        )

    def send(self, method: str, path: str, body: Any = None, caller: str = "write", **headers: str) -> Any:
        """Return the JSON of a successful response."""
        answer = self.open(Request(caller, path, method, body, tuple(headers.items())))
        assert answer.status < 300, (method, path, answer.status, answer.body[:1000])
        return answer.json if answer.body else None

    def read(self, path: str) -> Any:
        """Return the JSON of a read as an admin."""
        return self.send("GET", path, caller="admin")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def log_in(self, name: str) -> None:
        """Log in as this user, for requests of the caller `login`."""
        request = Request("", "/api/v1/auth/login/", "POST", {"username": name, "password": PASSWORD})
        answer = self.open(request)
        assert answer.status == 200, answer.body
        self.cookie = answer.headers["set-cookie"].partition(";")[0]


@dataclass(frozen=True)
class Blog:
    """The folder of a blog, its database if that is no file, and the checkout whose code uses it."""

    checkout: Path
    folder: Path
    url: str
    keys: dict[str, str] = field(default_factory=dict)
    #: UUIDs and paths that no list of the blog shows; see `read_requests`.
    hidden: dict[str, list[str]] = field(default_factory=dict)

    def _start(self, *words: object, **options: Any) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BLOGAPI_")}
        environment |= {"PYTHONPATH": str(self.checkout), "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
        if self.url:
            environment["BLOGAPI_DATABASE_URL"] = self.url
        words = (sys.executable, "-m", "blogapi", *words, "--blog", self.folder)
        options = {"cwd": self.checkout, "env": environment, "encoding": "utf-8"} | options
        return subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, **options)

    def run(self, *words: object, stdin: str = "", statuses: tuple[int, ...] = (0,)) -> str:
        """Run a command; return what it prints."""
        with self._start(*words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            printed, errors = process.communicate(stdin)
        has_failed = process.returncode not in statuses or "Traceback" in errors
        assert not has_failed, (words, process.returncode, printed[-2000:], errors[-2000:])
        return printed

    @contextmanager
    def serve(self) -> Iterator[Client]:
        """Serve the blog; yield a client."""
        with (
            (self.folder / "server.log").open("w", encoding="utf-8") as log,
            self._start("serve", "--port", 0, stderr=log) as process,
        ):
            try:
                with closing(Client(_read_port(process), self.keys)) as client:
                    yield client
            finally:
                process.terminate()

    def export(self, form: tuple[str, ...]) -> dict[str, bytes]:
        """Export the blog; return the content of each file by its path."""
        target = Path(tempfile.mkdtemp(dir=self.folder))
        # With status 1, a file was refused; the comparison shows whether it is the same on both sides.
        self.run("export", target, *form, statuses=(0, 1))
        files = [path for path in target.rglob("*") if path.is_file()]
        return {path.relative_to(target).as_posix(): path.read_bytes() for path in sorted(files)}


def _read_port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"Serving .* at http://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise AssertionError("the server did not start; see server.log")


class Databases:
    """The folders and databases of the compared blogs, which are deleted at the end."""

    def __init__(self, folder: Path, server: str = "") -> None:
        self.folder, self.server, self._names = folder, server, list[str]()

    def create(self, checkout: Path) -> Blog:
        """Return an empty blog of the checkout."""
        blog = Blog(checkout, self.folder / uuid4().hex, self._create_database("template0"))
        blog.folder.mkdir()
        blog.run("init")
        return blog

    def copy(self, blog: Blog, checkout: Path) -> Blog:
        """Return a copy of a blog that is not served, for the code of the checkout."""
        with allow_opening():
            folder = shutil.copytree(blog.folder, self.folder / uuid4().hex)
        name = make_url(blog.url).database if blog.url else ""
        return replace(blog, checkout=checkout, folder=Path(folder), url=self._create_database(name or ""))

    def _create_database(self, template: str) -> str:
        if not self.server:
            return ""
        name = f"blogapi_whole_{uuid4().hex[:12]}"
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        self._names.append(name)
        return make_url(self.server).set(database=name).render_as_string(hide_password=False)

    def _execute(self, statement: str) -> None:
        engine = create_engine(self.server, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)
        engine.dispose()

    def close(self) -> None:
        """Drop the databases."""
        for name in self._names:
            self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@contextmanager
def open_databases(server: str) -> Iterator[Databases]:
    """Yield the databases in a temporary folder or on this server."""
    with tempfile.TemporaryDirectory() as folder:
        databases = Databases(Path(folder).resolve(), server)
        try:
            yield databases
        finally:
            databases.close()


def fill(blog: Blog, corpus: Path | None) -> Blog:
    """Fill an empty blog with a folder of the corpus, or as the odd blog; return it with its keys."""
    for name, role in (("ada", "admin"), ("mel", "author"), ("idle", "author")):
        blog.run("user", "create", name, "--role", role, "--password-stdin", stdin=f"{PASSWORD}\n")
    settings = ("url=https://blog.example", "service_url=https://api.blog.example", "title=The “odd” blog")
    blog.run("site", "set", *settings, "page_path=/p/{path}/", "article_path={/language}/{year}/{slug}/")
    keys = {
        "write": _create_key(blog, "--user", "ada", "--scope", "write"),
        "admin": _create_key(blog, "--user", "ada", "--scope", "read"),
        "author": _create_key(blog, "--user", "mel", "--scope", "read"),
        "author_write": _create_key(blog, "--user", "mel", "--scope", "write"),
        "anonymous": _create_key(blog),
    }
    blog = replace(blog, keys=keys)
    if corpus:
        # With status 1, files were refused, as some of the corpus are.
        blog.run("import", corpus, "--author", "ada", "--define-fields", "everyone", statuses=(0, 1))
    else:
        with blog.serve() as client:
            client.log_in("ada")
            blog = replace(blog, hidden=odd_blog.fill(client.send))
    return blog


def _create_key(blog: Blog, *options: str) -> str:
    return blog.run("key", "create", *options).split()[-1]


def compare_exports(former: Blog, current: Blog, report: Callable[[str], None]) -> None:
    """Report each difference of the exports of two equal blogs."""
    for form in (("--drafts",), (), ("--drafts", "--for", "hugo"), ("--drafts", "--for", "jekyll")):
        files, other = former.export(form), current.export(form)
        for path in sorted({*files, *other}):
            for difference in describe_difference(files.get(path), other.get(path)):
                report(f"export {' '.join(form)} {path}: {difference}")


def compare(former: Blog, current: Blog, report: Callable[[str], None]) -> Counter[str]:
    """Report each different answer of two equal blogs; return the number of requests by method and status."""
    counts = Counter[str]()
    with former.serve() as one, current.serve() as two:
        for request in read_requests.list_reads(one.read, former.hidden, former.checkout):
            answers = [
                _hide_new_seo(answer, former.hidden) for answer in (one.open(request), two.open(request))
            ]
            _compare_answers(request, *answers, counts, report)
        began = datetime.now(UTC).isoformat()
        for request in read_requests.list_writes(one.read, former.hidden):
            answers = [
                _hide_new_seo(_hide_writes(answer, began), former.hidden)
                for answer in (one.open(request), two.open(request))
            ]
            _compare_answers(request, *answers, counts, report)
    return counts


def _hide_new_seo(answer: Answer, hidden: Mapping[str, list[str]]) -> Answer:
    """Replace the SEO records of the articles that have none in the database; the upgrade may create them."""
    body, headers = answer.body, dict(answer.headers)
    for uuid in hidden.get("without_seo", ()):
        body = re.sub(rb'\{[^{}]*"article":"%b"\}' % uuid.encode(), b'"SEO"', body)
    if body != answer.body:
        headers = {name: headers[name] for name in headers if name not in ("etag", "content-length")}
    return Answer(answer.status, headers, body)


def _hide_writes(answer: Answer, since: str) -> Answer:
    """Replace the times that are not before `since` and the tags of the last write; leave out the headers."""
    text = _CURSOR.sub("TAG", answer.body.decode("utf-8", "surrogateescape"))
    text = _TIME.sub(lambda found: found[0] if found[0] < since[:19] else "NOW", text)
    return Answer(answer.status, {}, text.encode("utf-8", "surrogateescape"))


def _compare_answers(
    request: Request, one: Answer, two: Answer, counts: Counter[str], report: Callable[[str], None]
) -> None:
    counts[f"{request.method} {one.status}"] += 1
    if one.status != two.status:
        report(
            f"{request}: status {one.status} → {two.status}, {_shorten(two.body.decode(errors='replace'))}"
        )
        return
    ignored = IGNORED_HEADERS | (set() if _ITEM.match(request.path) else {"etag"})
    if one.body != two.body:
        # They follow from the body.
        ignored |= {"etag", "content-length"}
    for name in sorted({*one.headers, *two.headers} - ignored):
        if one.headers.get(name) != two.headers.get(name):
            report(f"{request}: header {name}: {one.headers.get(name)!r} → {two.headers.get(name)!r}")
    for difference in describe_difference(one.body, two.body):
        report(f"{request}: {difference}")


def describe_difference(one: bytes | None, two: bytes | None) -> list[str]:
    """Return the differences of two bodies or files, None for one that is missing.

    Each difference of two JSON texts is the path of a value, and both values from the first different
    character. Texts are compared by line.
    """
    if one == two:
        return []
    if one is None or two is None:
        return ["is missing in the former version" if one is None else "is missing in this version"]
    try:
        values = json.loads(one), json.loads(two)
    except ValueError:
        lines = [text.decode("utf-8", "replace").splitlines() for text in (one, two)]
        found = [*difflib.unified_diff(*lines, n=0, lineterm="")][2:]
        return [_shorten(line) for line in found[:20]] or ["differs in the ends of its lines"]
    return [*_compare_values("$", *values)] or [_describe_texts("the same JSON in another form", one, two)]


def _compare_values(path: str, one: Any, two: Any) -> Iterator[str]:
    if isinstance(one, dict) and isinstance(two, dict):
        for name in [*one, *(name for name in two if name not in one)]:
            if name in one and name in two:
                yield from _compare_values(f"{path}.{name}", one[name], two[name])
            else:
                value = one.get(name, two.get(name))
                word = "is missing in" if name in one else "is only in"
                yield f"{path}.{name} {word} this version: {_shorten(json.dumps(value, ensure_ascii=False))}"
        if {*one} == {*two} and [*one] != [*two]:
            yield f"{path}: order of names: {', '.join(one)} → {', '.join(two)}"
    elif isinstance(one, list) and isinstance(two, list):
        if len(one) != len(two):
            yield f"{path}: {len(one)} → {len(two)} elements"
        elif sorted(map(repr, one)) == sorted(map(repr, two)) and one != two:
            yield f"{path}: the same elements in another order"
        else:
            for number, pair in enumerate(zip(one, two, strict=True)):
                yield from _compare_values(f"{path}[{number}]", *pair)
    elif one != two or type(one) is not type(two):
        yield _describe_texts(path, *(json.dumps(value, ensure_ascii=False).encode() for value in (one, two)))


def _describe_texts(path: str, one: bytes, two: bytes) -> str:
    texts = [text.decode("utf-8", "replace") for text in (one, two)]
    same = next(
        (number for number, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts))
    )
    start = max(0, same - 20)
    before, after = ("…" * (start > 0) + _shorten(text[start:]) for text in texts)
    return f"{path}: {before} → {after}"


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def compare_versions(
    former: Path, databases: Databases, corpus: Path | None, report: Callable[[str], None]
) -> Counter[str]:
    """Fill a blog with the former version and compare both versions; return what `compare` returns."""
    filled = fill(databases.create(former), corpus)
    copy = databases.copy(filled, ROOT)
    copy.run("upgrade")
    compare_exports(filled, copy, report)
    if corpus is None:
        # If an article has no SEO record, a version with a table of them answers, but cannot export.
        odd_blog.delete_seo(filled.url or f"sqlite:///{filled.folder / 'instance/blog.db'}", filled.hidden)
        copy = databases.copy(filled, ROOT)
        copy.run("upgrade")
    return compare(filled, copy, report)


def main() -> int:
    """Compare the blogs; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("former", type=Path, help="a checkout of the former version")
    parser.add_argument("--postgresql", default="", metavar="URL")
    parser.add_argument("--corpus", default=os.environ.get("BLOGAPI_TEST_CORPUS", ""), metavar="FOLDER")
    parser.add_argument("--only", default="", metavar="NAME", help="`odd` or a folder of the corpus")
    options = parser.parse_args()
    names = (options.only,) if options.only else ("odd", *(CORPORA if options.corpus else ()))
    found = 0

    def report(difference: str) -> None:
        nonlocal found
        found += 1
        print(difference, flush=True)

    for name in names:
        print(f"== {name}", flush=True)
        corpus = None if name == "odd" else Path(options.corpus, name)
        with open_databases(options.postgresql) as databases:
            counts = compare_versions(options.former.resolve(), databases, corpus, report)
        print(", ".join(f"{what}: {count}" for what, count in sorted(counts.items())))
    print(f"{found} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.exit(main())
