"""Fixtures: a real application on a real database, and one client for each kind of caller."""

from __future__ import annotations

import gc
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import hypothesis
import pytest
from flask import Flask
from sqlalchemy import Engine, event, insert, inspect
from sqlalchemy.orm import make_transient_to_detached

from blogapi import clock, create_app
from blogapi.accounts.api_keys import queries as key_queries
from blogapi.accounts.api_keys.models import ApiKey
from blogapi.accounts.users import queries as user_queries
from blogapi.accounts.users import service as users
from blogapi.accounts.users.models import Account, WebSession
from blogapi.content.articles import service as article_service
from blogapi.content.articles.models import Article
from blogapi.content.articles.schemas import ArticleBodySchema
from blogapi.content.media import images
from blogapi.content.taxonomies import authors as authors_definition
from blogapi.content.taxonomies import categories as categories_definition
from blogapi.content.taxonomies import service as taxonomies
from blogapi.content.taxonomies import tags as tags_definition
from blogapi.content.taxonomies.authors import Author, AuthorBodySchema
from blogapi.content.taxonomies.categories import Category, CategoryBodySchema
from blogapi.content.taxonomies.tags import Tag
from blogapi.docs import document
from blogapi.storage import connections
from blogapi.storage.database import db, table_of, transaction
from blogapi.web.access import Role, Scope
from blogapi.web.errors import DAMAGE_KEY
from blogapi.web.key_format import SHOWN_PREFIX_LENGTH, digest_token, generate_key
from blogapi.web.operation import OPERATIONS
from blogapi.web.rate_limits import limiter
from tests import attempts, event_guard, marks, shortcuts, skips
from tests.audit_hooks import sqlite_files
from tests.browser import PageOpener, launch_browser
from tests.contracts.client import CheckedClient, Contract
from tests.databases import SERVER_URL, Databases, open_databases
from tests.databases import close_connections as close_connections
from tests.live_server import serve
from tests.saved_blogs import SavedBlogs, Value

if TYPE_CHECKING:
    from tests.redis_servers import RedisServer

# Examples have no deadline, because machines can be busy. CI runs use the same examples each time.
hypothesis.settings.register_profile("suite", deadline=None, max_examples=50, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("suite")

# Without cached bytecode, each process that a test starts would compile the application again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

sqlite_files.install()
event_guard.install()
# The process of an import gets this path from the application.
sys.path.append(str(Path(sqlite_files.__file__).parent))

# The clock that no test has set.
CLOCK = clock.now

ARTICLES = "/api/v1/blog/articles/"
CATEGORIES = "/api/v1/blog/categories/"
TAGS = "/api/v1/blog/tags/"
AUTHORS = "/api/v1/blog/authors/"
KEYS = "/api/v1/auth/api-key/"

_IGNORED_STATEMENTS = (
    *("BEGIN", "PRAGMA", "SAVEPOINT", "RELEASE", "SET", "SELECT pg_advisory_xact_lock"),
    "SELECT set_config",
    *("SELECT commit_counter.number", "UPDATE commit_counter", "SELECT (SELECT version_num"),
    *("SELECT now()", "SELECT clock_timestamp()"),
)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of workers for `-n auto`: more than cores, because tests often wait."""
    return 2 * (os.cpu_count() or 1)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--slow`."""
    parser.addoption("--slow", action="store_true", help="run the tests with the mark `slow` too")


def pytest_configure(config: pytest.Config) -> None:
    """Install the shortcuts, the marks and the rule for skipped tests."""
    shortcuts.install()
    marks.register(config)
    for plugin in (shortcuts, marks, skips):
        config.pluginmanager.register(plugin)
    # Python 3.13 warns when a test drops an application without closing it.
    for warning in (
        "ignore:unclosed database in <sqlite3.Connection:ResourceWarning",
        "ignore:Exception ignored in. <sqlite3.Connection",
        *(
            ["ignore:.*BaseConnection.__del__", "ignore:<psycopg.Connection:ResourceWarning"]
            if SERVER_URL
            else []
        ),
    ):
        config.addinivalue_line("filterwarnings", warning)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the attacks that were tried."""
    attempts.print_attempts(terminalreporter)


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """The databases of the tests."""
    with open_databases(tmp_path_factory.mktemp("blogs")) as opened:
        yield opened


@pytest.fixture(scope="session")
def contract(databases: Databases) -> Contract:
    """The OpenAPI document."""
    return Contract(document.get_document(databases.app))


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that contains the instance folder of every test in this process."""
    return tmp_path_factory.mktemp("home")


def _delete(folder: Path) -> None:
    """Delete the instance folder of the previous test, if there is one."""
    if not folder.exists():
        return
    try:
        shutil.rmtree(folder)
    except PermissionError:
        # Windows cannot delete the files that an application has open. If the test has dropped it, the first
        # collection deletes the application, and the second one its connections.
        gc.collect()
        gc.collect()
        shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def instance(home: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The instance folder of the test, which does not exist yet."""
    folder = home / "instance"
    _delete(folder)
    databases.clear()
    for name, value in databases.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("BLOGAPI_INSTANCE_PATH", str(folder))
    return folder


@pytest.fixture(autouse=True)
def opened_sqlite_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The report of SQLite files that were opened, but not by SQLite; the test fails if there are any."""
    report = home / "opened_files"
    monkeypatch.setenv(sqlite_files.REPORT, str(report))
    # The processes that the test starts find `sitecustomize` there.
    monkeypatch.setenv("PYTHONPATH", str(Path(sqlite_files.__file__).parent), prepend=os.pathsep)
    yield report
    if report.exists():
        found = report.read_text(encoding="utf-8")
        report.unlink()
        pytest.fail(found)


@pytest.fixture
def make_app(instance: Path, databases: Databases) -> Iterator[Callable[..., Flask]]:
    """Return a function that creates an application on the test's blog, with settings."""
    apps: list[Flask] = []

    def make(**settings: Any) -> Flask:
        databases.prepare(instance)
        app = create_app({"TESTING": True, "SECRET_KEY": "x" * 32} | settings)
        apps.append(app)
        return app

    yield make
    for app in apps:
        close_connections(app)


@pytest.fixture(scope="session")
def common_app(home: Path, databases: Databases) -> Flask:
    """The application with default settings and metrics, created once; each test has its own database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BLOGAPI_INSTANCE_PATH", str(home / "instance"))
        for name, value in databases.environment().items():
            patch.setenv(name, value)
        databases.prepare(home / "instance")
        app = create_app({"TESTING": True, "SECRET_KEY": "x" * 32, "METRICS": True})
    close_connections(app)
    return app


@pytest.fixture
def app(common_app: Flask, instance: Path, databases: Databases) -> Iterator[Flask]:
    """The application with default settings, on the test's blog."""
    databases.prepare(instance)
    settings = dict(common_app.config)
    limiter.init_app(common_app)
    # A server of a former test may have limited the threads that process images.
    images.init_app(common_app)
    operations = OPERATIONS.get(common_app)
    yield common_app
    # The test may have changed the setting PUBLIC_READS.
    OPERATIONS.set(common_app, operations)
    common_app.extensions.pop(DAMAGE_KEY, None)
    common_app.config.clear()
    common_app.config.update(settings)
    databases.release(common_app)


@pytest.fixture
def make_client(contract: Contract) -> Callable[..., CheckedClient]:
    """Return a function that creates a client of an application, with or without a key."""

    def make(app: Flask, key: str | None = None) -> CheckedClient:
        client = CheckedClient(app, app.response_class)
        client.contract, client.key = contract, key
        return client

    return make


class People:
    """The users of the blog and their keys."""

    def __init__(self, app: Flask, accounts: Sequence[Account] = ()) -> None:
        self.app = app
        self.admin, self.other_admin, self.member = accounts or create_accounts(app)

    def key(self, owner: Account | None, scope: Scope | None = None, *, was_used: bool = True) -> str:
        """Return a new key. The default scope is `read` for keys with an owner and `published` for others.

        With `was_used`, the next request does not store the time of the use.
        """
        value = generate_key()
        key = {
            "digest": digest_token(value),
            "prefix": value[:SHOWN_PREFIX_LENGTH],
            "owner_id": owner and owner.uuid,
            "scope": scope or ("read" if owner else "published"),
            "last_used": clock.now() if was_used else None,
        }
        # This takes a fraction of the time of the service, which has its own tests.
        with self.app.app_context(), db.engine.begin() as connection:
            connection.execute(insert(table_of(ApiKey)), key)
        return value

    def uuid(self, value: str) -> str:
        """Return the uuid of the key."""
        with self.app.app_context():
            return str(key_queries.find_key_by_value(value).uuid)


def create_accounts(app: Flask) -> list[Account]:
    """Create Ada and Grace (admins), and Mel (a member)."""
    roles = {"ada": Role.ADMIN, "grace": Role.ADMIN, "mel": Role.READER}
    with app.app_context(), transaction():
        return [users.create_user(name, None, role=role) for name, role in roles.items()]


def copy_account(account: Account) -> Account:
    """Return an account with the same values that belongs to no session, like one that a test has created."""
    columns = inspect(Account).column_attrs
    copy = Account(**{column.key: getattr(account, column.key) for column in columns})
    make_transient_to_detached(copy)
    return copy


@dataclass
class SavedPeople:
    """A copy of a database that contains only the users, and the users; empty until a test needs it."""

    copy: Any = None
    accounts: Sequence[Account] = ()


@pytest.fixture(scope="session")
def saved_people() -> SavedPeople:
    """The users that the tests of this worker share. Copying them is faster than creating them."""
    return SavedPeople()


@pytest.fixture
def people(app: Flask, instance: Path, databases: Databases, saved_people: SavedPeople) -> People:
    """Ada and Grace (admins), and Mel (a member)."""
    if clock.now is not CLOCK or not databases.is_empty(app):
        return People(app)
    if not saved_people.copy:
        saved_people.accounts = create_accounts(app)
        saved_people.copy = databases.save_copy(app)
    databases.restore_copy(saved_people.copy, instance)
    return People(app, [copy_account(account) for account in saved_people.accounts])


@pytest.fixture(scope="session")
def saved_blogs() -> SavedBlogs:
    """The filled blogs that the tests of this worker share."""
    return SavedBlogs()


@pytest.fixture
def fill_blog(
    app: Flask,
    people: People,
    instance: Path,
    databases: Databases,
    saved_people: SavedPeople,
    saved_blogs: SavedBlogs,
) -> Callable[[str, Callable[[], Value]], Value]:
    """Return a function that fills the blog by a function, or by the copy with this name.

    The function returns values that are right for each copy, such as uuids. It gives each article a category,
    if a test creates more articles: the default one is new for each test.
    """

    def fill_blog(name: str, fill: Callable[[], Value]) -> Value:
        # The copy has the shared users, and no times of a clock that a test has set.
        shared = {account.uuid for account in saved_people.accounts}
        if clock.now is not CLOCK or people.admin.uuid not in shared:
            return fill()
        return saved_blogs.fill(app, databases, instance, name, fill)

    return fill_blog


@pytest.fixture
def as_stranger(app: Flask, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """A client without key or login."""
    return make_client(app)


@pytest.fixture
def as_reader(app: Flask, people: People, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """A client with an anonymous key."""
    return make_client(app, people.key(None))


@pytest.fixture
def as_published_member(
    app: Flask, people: People, make_client: Callable[..., CheckedClient]
) -> CheckedClient:
    """Mel (a member), with a `published` key."""
    return make_client(app, people.key(people.member, "published"))


@pytest.fixture
def as_published_admin(
    app: Flask, people: People, make_client: Callable[..., CheckedClient]
) -> CheckedClient:
    """Ada (an admin), with a `published` key."""
    return make_client(app, people.key(people.admin, "published"))


@pytest.fixture
def as_reading_member(app: Flask, people: People, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """Mel (a member), with a `read` key."""
    return make_client(app, people.key(people.member))


@pytest.fixture
def as_member(app: Flask, people: People, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """Mel (a member), with a `write` key."""
    return make_client(app, people.key(people.member, "write"))


@pytest.fixture
def as_admin(app: Flask, people: People, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """Ada (an admin), with a `write` key."""
    return make_client(app, people.key(people.admin, "write"))


@pytest.fixture
def log_in(app: Flask, make_client: Callable[..., CheckedClient]) -> Callable[[Account], CheckedClient]:
    """Return a function that returns a client with a login of the user."""

    def log_in(account: Account) -> CheckedClient:
        token, now = secrets.token_urlsafe(), clock.now()
        login = {"digest": digest_token(token), "account_id": account.uuid, "created": now, "last_used": now}
        # This takes a fraction of the time of the service, which has its own tests.
        with app.app_context(), db.engine.begin() as connection:
            connection.execute(insert(table_of(WebSession)), login | {"expires": now + timedelta(days=1)})
        client = make_client(app)
        with client.session_transaction() as session:
            session["token"] = token
        return client

    return log_in


@pytest.fixture
def as_role(
    app: Flask, make_client: Callable[..., CheckedClient], log_in: Callable[[Account], CheckedClient]
) -> Callable[..., CheckedClient]:
    """Return a function that returns a client of a user with this role, by a key of the scope or by `login`.

    The user has the name of the role, or `publisher` for an author who may publish.
    """

    def as_role(role: Role, scope: str = "write", *, can_publish: bool = False) -> CheckedClient:
        name = "publisher" if can_publish else role.value
        with app.app_context():
            account = user_queries.find_user_by_name(name)
            account = account or users.create_user(name, None, role=role, can_publish=can_publish)
        if scope == "login":
            return log_in(account)
        return make_client(app, People(app, [account] * 3).key(account, cast(Scope, scope)))

    return as_role


@pytest.fixture
def as_author(as_role: Callable[..., CheckedClient]) -> CheckedClient:
    """An author who may not publish, with a `write` key."""
    return as_role(Role.AUTHOR)


@pytest.fixture
def as_editor(as_role: Callable[..., CheckedClient]) -> CheckedClient:
    """An editor, with a `write` key."""
    return as_role(Role.EDITOR)


@pytest.fixture
def as_login(people: People, log_in: Callable[[Account], CheckedClient]) -> CheckedClient:
    """Ada (an admin), logged in."""
    return log_in(people.admin)


@pytest.fixture
def as_member_login(people: People, log_in: Callable[[Account], CheckedClient]) -> CheckedClient:
    """Mel (a member), logged in."""
    return log_in(people.member)


@pytest.fixture
def as_reading_admin(app: Flask, people: People, make_client: Callable[..., CheckedClient]) -> CheckedClient:
    """Ada (an admin), with a `read` key."""
    return make_client(app, people.key(people.admin))


@pytest.fixture
def make_category(app: Flask, people: People) -> Callable[..., Category]:
    """Return a function that creates a category of Ada."""
    numbers = count(1)

    def make(**fields: Any) -> Category:
        with app.app_context():
            body = CategoryBodySchema().load({"name": f"Category {next(numbers)}"} | fields)
            return taxonomies.create_term(categories_definition.CATEGORIES, people.admin.uuid, body)

    return make


@pytest.fixture
def make_tag(app: Flask, people: People) -> Callable[..., Tag]:
    """Return a function that creates a tag of Ada."""
    numbers = count(1)

    def make(name: str = "") -> Tag:
        with app.app_context():
            return taxonomies.create_term(
                tags_definition.TAGS, people.admin.uuid, {"name": name or f"tag {next(numbers)}"}
            )

    return make


@pytest.fixture
def make_guest(app: Flask, people: People) -> Callable[..., Author]:
    """Return a function that creates an author without a user."""
    numbers = count(1)

    def make(name: str = "", **fields: Any) -> Author:
        with app.app_context():
            body = AuthorBodySchema().load({"name": name or f"Guest {next(numbers)}"} | fields)
            return taxonomies.create_term(authors_definition.AUTHORS, people.admin.uuid, body)

    return make


@pytest.fixture
def make_article(
    app: Flask, people: People, make_category: Callable[..., Category]
) -> Callable[..., Article]:
    """Return a function that creates an article, by default published by Ada on 2026-01-01."""
    numbers = count(1)
    default_category: list[Category] = []

    def make(
        category: Category | None = None,
        tags: tuple[Tag, ...] = (),
        author: Account | None = None,
        **fields: Any,
    ) -> Article:
        if category is None and not default_category:
            default_category.append(make_category(name="Shelf"))
        defaults = {"title": f"Article {next(numbers)}", "content": "<p>Words.</p>", "status": "published"}
        if fields.get("status", "published") == "published":
            defaults["published_at"] = "2026-01-01T00:00:00Z"
        references = {
            "category": {"uuid": str((category or default_category[0]).uuid)},
            "tags": [{"uuid": str(tag.uuid)} for tag in tags],
        }
        with app.app_context():
            body = ArticleBodySchema().load(defaults | references | fields)
            return article_service.create_article_in_transaction((author or people.admin).uuid, body)

    return make


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Return a function that sets the clock."""

    def set_now(time: datetime) -> None:
        monkeypatch.setattr(clock, "now", lambda: time.astimezone(UTC))
        monkeypatch.setattr(clock, "accept_database_time", lambda _: time.astimezone(UTC))

    return set_now


@pytest.fixture
def lock_timeouts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seconds that each write transaction may wait for other processes, one number per transaction."""
    timeouts: list[int] = []
    get_write_options = connections.get_write_options

    def record(engine: Engine, seconds: int) -> dict[str, Any]:
        timeouts.append(seconds)
        return get_write_options(engine, seconds)

    monkeypatch.setattr(connections, "get_write_options", record)
    return timeouts


@pytest.fixture(scope="session")
def redis_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """The Redis server of this worker."""
    # Most test files need no Redis.
    from tests.redis_servers import REDIS_SERVER, run_redis_server

    if REDIS_SERVER is None:
        pytest.skip("redis-server is not installed")
    with run_redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis(redis_process: RedisServer, monkeypatch: pytest.MonkeyPatch) -> RedisServer:
    """An empty Redis server, with a long timeout for busy machines."""
    from blogapi.web.rate_limits import redis as shared_counters

    monkeypatch.setattr(shared_counters, "TIMEOUT_SECONDS", 30)
    redis_process.client.flushall()
    return redis_process


# With a longer scope, the event loop of Playwright would still run during the tests of other modules.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, controlled by Playwright."""
    with launch_browser() as running:
        yield running


@pytest.fixture
def open_page(browser: Any, app: Flask) -> Iterator[PageOpener]:
    """A function that opens a path of the application in Chromium; the test fails if a page has a fault."""
    with serve(app) as port:
        opener = PageOpener(browser, f"http://127.0.0.1:{port}")
        yield opener
        opener.close()
    assert opener.faults == []


@pytest.fixture
def record_statements(app: Flask) -> Callable[[], Any]:
    """Return a context manager that yields a list of the statements executed in the block.

    Statements that differ between the engines are left out: those for transaction control, locking, the
    commit counter and the clock.
    """

    @contextmanager
    def record() -> Iterator[list[str]]:
        executed: list[str] = []

        def append(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
            if not statement.startswith(_IGNORED_STATEMENTS) and not event_guard.is_checking():
                executed.append(statement)

        with app.app_context():
            engine = db.engine
        event.listen(engine, "before_cursor_execute", append)
        try:
            yield executed
        finally:
            event.remove(engine, "before_cursor_execute", append)

    return record
