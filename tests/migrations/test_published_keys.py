"""The migration to the scope `published`: anonymous keys get this scope, owned keys keep theirs."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import DateTime, Uuid, bindparam, create_engine, text
from sqlalchemy.exc import IntegrityError

from blogapi import clock
from tests.migrations.alembic_runner import migrate_to

COLUMNS = ("uuid", "digest", "prefix", "name", "owner_id", "scope", "created", "expires", "last_used")
UUIDS, TIMES = ("uuid", "owner_id"), ("created", "expires", "last_used")
KINDS = {
    "anonymous": (False, "read", "published"),
    "anonymous that writes": (False, "write", "published"),
    "read": (True, "read", "read"),
    "write": (True, "write", "write"),
}


def make_insert(table, names):
    """Return an INSERT statement with column types, because each engine stores a UUID in its own form."""
    types = [bindparam(name, type_=Uuid()) for name in UUIDS if name in names]
    types += [bindparam(name, type_=DateTime()) for name in (*TIMES, "last_updated") if name in names]
    values = ", ".join(f":{name}" for name in names)
    return text(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})").bindparams(*types)  # noqa: S608


def make_key_row(name, owner, scope):
    now = clock.now().replace(tzinfo=None)
    digest = uuid4().hex * 2
    times = {"created": now, "expires": now if name == "read" else None, "last_used": None}
    names = {"digest": digest, "prefix": "blogapi_abc", "name": name}
    return {"uuid": uuid4(), "owner_id": owner, "scope": scope} | names | times


@pytest.fixture
def old_engine(databases, tmp_path):
    """The engine of a database at the previous migration, with a key of each kind."""
    engine = create_engine(databases.create_empty(tmp_path))
    migrate_to(engine, "0003")
    now = clock.now().replace(tzinfo=None)
    ada = {"uuid": uuid4(), "username": "ada", "role": "admin", "created": now, "last_updated": now}
    with engine.begin() as connection:
        connection.execute(make_insert("account", tuple(ada)), ada)
        for name, (owned, scope, _) in KINDS.items():
            connection.execute(
                make_insert("api_key", COLUMNS), make_key_row(name, ada["uuid"] if owned else None, scope)
            )
    yield engine
    engine.dispose()


def read_keys(engine):
    """Return the stored keys by name."""
    with engine.connect() as connection:
        rows = connection.execute(text(f"SELECT {', '.join(COLUMNS)} FROM api_key")).mappings()  # noqa: S608
        return {row["name"]: dict(row) for row in rows}


def test_anonymous_keys_become_published_and_owned_keys_keep_their_scope(old_engine):
    before = read_keys(old_engine)
    migrate_to(old_engine, "0004")
    assert read_keys(old_engine) == {
        name: before[name] | {"scope": scope} for name, (_, _, scope) in KINDS.items()
    }
    with old_engine.connect() as connection:
        tables = old_engine.dialect.get_table_names(connection)
    assert [name for name in tables if name.startswith("api_key")] == ["api_key"]


@pytest.mark.parametrize(("owned", "scope"), [(False, "read"), (False, "write"), (True, "admin")])
def test_the_table_refuses_a_key_with_an_invalid_scope(old_engine, owned, scope):
    migrate_to(old_engine, "0004")
    with old_engine.connect() as connection:
        owner = connection.execute(text("SELECT uuid FROM account").columns(uuid=Uuid())).scalar()
        with pytest.raises(IntegrityError):
            connection.execute(
                make_insert("api_key", COLUMNS), make_key_row("x", owner if owned else None, scope)
            )
