"""Merged migrations are not edited, and a blog recorded at any migration can be upgraded."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import MetaData, Uuid, create_engine, insert, select

from blogapi.content.articles.models import DERIVED_COLUMNS, Article, DeletedItem
from blogapi.content.search.tokenizer import make_sort_key
from blogapi.storage import migration_names
from blogapi.storage.database import db, table_of
from tests.audit_hooks.sqlite_files import allow_opening
from tests.conftest import ARTICLES, AUTHORS, close_connections
from tests.databases import SERVER_URL, open_sqlite
from tests.migrations.alembic_runner import migrate_to
from tests.migrations.record_blog import LATER, PASSWORD

pytestmark = pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index")

BLOGS = Path(__file__).parent / "blogs"

# The SHA-256 digest of each migration file. Line ends are line feeds, as in the repository.
DIGESTS = {
    "0001": "e6d4872f4684c611ce717743f2554b43fa034ef09e5292be614f93724b970b6d",
    "0002": "c60356399e0fdcc065ce575e5a8e31fcd9c062fd139d84d8ac14ad41bb659166",
    "0003": "bb0c7c5774c8f87a86db0ae46608a34a8c970762641de6a90ebdd41ee38f3323",
    "0004": "afee9252fba6d117176d638f0c7d135757b64fc24c221d45679437befb025b76",
    "0005": "e2bac6a05a0e19fa7841f4df9315adbe92937b3f0904cc4fc9aa3dc7caa67d6e",
    "0006": "de24d6549eddc2d940be3d09e1d598a2ac8c0bf027e6ba7b756a62c9f5888c1f",
    "0007": "f443be645674a1930925eb198305f86dbc140ad19a7282cf4cc4ba59eb06824b",
    "0008": "6450525f3bfdabdfeb99636d9c9b5d2420830fe854a7ac0434a1194e49c8c909",
    "0009": "a000befe4ebaddd6e30d53e23a8c05d7520006f5f78afa6610c9c5f22730acc7",
    "0010": "824107e715a4fd8f3c84350dab2bd45402e72fbd74bfb3de4cf85bb67f6ced56",
    "0011": "1c650c3589b700883be538953e1ab03c9a9c68bf1184147aa8d358d72fc09f0c",
    "0012": "5df61ea26f18d423f6e185761c84f950f9e8a4d1c4e68b1704bf902ea0f9bf27",
    "0013": "8ea4ea05ac46c938fcba83239863ca39b5659a512d85c6f3fed6b31895366ed8",
    "0014": "c1b0e109cbfb636a758107272e5b3b393a2c50d8c9bc423aba96108c8ede7cc5",
    "0015": "fdf4248551a24827a67680b9f1299036c4b49dff5133847719c24320ca490ab4",
    "0016": "ae09aae0ad5e3a00467f254005cb983cc4e649af9dc46d9e254c4d41db711381",
    "0017": "4257ead76c0e9547de76cd64628ab102c15c1fded75a11fb093a019b885bec16",
    "0018": "2ee64c7ad38a5196c9d75fd7f197351a78fd6495ec1eae92dbd86282abb0400c",
    "0019": "84cff9094549f3211aca8a896c59a3bd4eb3c6bcd96a8ca98c3e9fc49e175aa1",
    "0020": "ba1a2098ff27a02fc104eb573fd577cec40a447a80696745ada1f35252aae186",
    "0021": "9e95bf35f4a6e08d6ee3127e2b20f60b8a6f50a4182edb5e3764f5dbb479f059",
    "0022": "3ef8f1463b47381a4d3dc4e10d627af383e981fe805348ca20ebe6922188bcba",
    "0023": "49af7a062e17c7160b171a41fdadb1b9c2d09b0ee0904ac856c406751718ed5d",
    "0024": "2d80dba5b6dce027d36ea5d5967f9015f838d9ce17fe0a6d70609a042b99420d",
    "0025": "d0cdd8862ccd3c92616da60edd8fa5668d0a78323aff3a02ff4b3e719acc52fd",
    "0026": "c545f5b53eb7597480a582025e895fc00a35b060e41ae5bd6e928c4906fc262d",
    "0027": "8d178f7b9307b98e3e869977f50e455bc611d36fb76cbc9c93c3161af7ffb020",
    "0028": "7c30c58ba09ca83aa394fd6b9c0a2a5caad1a14579d7178405bf52f266f21f30",
    "0029": "73e0590c4cf69912ad4482e8d88cc572a469e7b83dafa58b065d0840eacd297e",
    "0030": "958c21d00a784b628ab644699f64b2d8d5e26f2cb75fd29906962c073ef33821",
    "0031": "df39a0ea10c62be5bfb0201d31f795e0b8703f07f6b6268919ff62eae4eac7d3",
    "0032": "ac8320d70db9060df05c873e94b3785e04f581c1eb631625f9e21d23fce95bea",
    "0033": "55f89fb38966a2805336444cdee3e93f6a9a292b488abb03792a48712a701c54",
    "0034": "92ef7d7e2c6f5d43b8dc59aabee452d51463086a2bb00808595a7ec86409cd9f",
    "0035": "1e5c59669f82dce2c90cc3e73dcedb5e8ac8397c643a9812426d39f44f38b4d5",
    "0036": "15b5c64f43f07c7e4d1cdcd97cbb6653aa9aefa5ed0e1267869e60dfc38cb86b",
    "0037": "f6c2e52f02d107e092d137e00b7584e063b11d2d8fa976fe740b8db5f2a2ae6a",
    "0038": "63a0b6b490998de5e943790ede016a9c4f55f3fe547e4c37c8171af0ff2e07c5",
    "0039": "583348bc5cd9ddc4ea0822177db18de7ddbfb446298eb3a11fc49a6c0c02f98b",
    "0040": "389f4a40a1363c71adb8a7008073039102fc4d97c79590c1e4e4ab09458953fd",
    "0041": "cb9173990840cb0a18f260895aaaf73f730a1e92345348670ab6c84957432912",
    "0042": "15bb00a75165e0f0a751aafe225bb758f4a7fb2969999874d31b0ae06eea5217",
    "0043": "49ffa8350fcf785b30e3c65eee8bb2c76c02e35cad51bf55cd0675b2cb2ce6c7",
    "0044": "ee892f096053d8b2a25d78bb0db46f5128c84ef0b288e0d0fd66fb5f02aafd89",
    "0045": "1c86fc3feec82091797dc9dc5d9bb65fd1bca75e67539b18ff1215e96e39fae3",
    "0046": "384d0deb3bc503cc58583561735ea5c75cbac6acc8e47580ecc1fda7f9caa3bb",
    "0047": "35e6df9385899acf88f1d31b36ca3724e4326a68e1a3468801c0c31a5ac87538",
}

# Tables that are derived from other tables and can differ between versions, and tables with internal
# counters.
INDEX = {"search_index", "search_entry", "search_words"}
DERIVED = INDEX | {
    *("article_json", "article_pieces", "article_stats", "article_tally", "article_count", "custom_value"),
    *("change", "change_counter", "revision", "event", "commit_counter", "alembic_version"),
    "media_rendition",
    # A start stores its version.
    "release",
}


def select_stable_columns(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the columns that neither migrations nor starts change, with UUIDs as SQLite stores them."""
    # A start stores the rights of its release.
    excluded = {"json", "pieces", "source_digest", "rights", *DERIVED_COLUMNS}
    if row.get("owner_id") is None:
        # A later migration changes the scope of anonymous keys.
        excluded.add("scope")
    values = {name: value.hex if isinstance(value, UUID) else value for name, value in row.items()}
    if values.get("role") == "member":
        values["role"] = "reader"
    return sorted((name, value) for name, value in values.items() if name not in excluded)


@pytest.mark.parametrize("migration", migration_names.list_migrations())
def test_a_merged_migration_is_not_edited(migration):
    (path,) = (migration_names.MIGRATIONS_FOLDER / "versions").glob(f"{migration}_*.py")
    digest = hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
    if migration not in DIGESTS:
        pytest.fail(
            f"{path.name} is new. When it is ready to land, add its digest to DIGESTS ({digest}) and write "
            "its blog with: PYTHONPATH=. python tests/migrations/record_blog.py. Never edit it after that."
        )
    assert digest == DIGESTS[migration], (
        f"{path.name} has landed: existing blogs never run it again. Restore it, and make the change in a "
        "new migration."
    )


@pytest.mark.parametrize("migration", migration_names.list_migrations())
def test_each_migration_has_a_recorded_blog(migration):
    assert (BLOGS / f"{migration}.sql").is_file() and (BLOGS / f"{migration}.json").is_file()
    assert f"INSERT INTO \"alembic_version\" VALUES('{migration}');" in read_text(f"{migration}.sql")


def read_text(name: str) -> str:
    return (BLOGS / name).read_text(encoding="utf-8")


def read_rows(connection: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table with original data."""
    metadata = MetaData()
    metadata.reflect(connection, only=lambda name, _: not name.startswith("search_index"))
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table))]
        for table in metadata.sorted_tables
        if table.name not in DERIVED
    }


MIGRATIONS = sorted(path.stem for path in BLOGS.glob("*.sql"))


# A migration has the same result from each older schema on a server.
ENDS = [MIGRATIONS[0], *MIGRATIONS[-2:]]
# Migrations that have landed stay as they are.
_RARE = (pytest.mark.slow, pytest.mark.release)
MIDDLE = [pytest.param(name, marks=_RARE) for name in MIGRATIONS if name not in ENDS]


@pytest.fixture(params=ENDS if SERVER_URL else [*ENDS, *MIDDLE])
def recorded_blog(request, tmp_path, instance, databases):
    """The rows and the responses of a recorded blog. The recorded blog replaces the blog of the test."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(read_text(f"{request.param}.sql"))
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        before = read_rows(connection)
        if SERVER_URL:
            copy_to_server(connection, databases, tmp_path, request.param, instance)
    engine.dispose()
    if not SERVER_URL:
        instance.mkdir()
        with allow_opening():
            shutil.copy(path, instance / "blog.db")
        (instance / "blog.db").chmod(0o600)
    return before, json.loads(read_text(f"{request.param}.json"))


def copy_to_server(source, databases, tmp_path, migration, instance):
    """Copy the rows into a PostgreSQL database with the schema of the migration, for the test."""
    url = databases.create_empty(tmp_path)
    copy_rows(source, url, migration)
    databases.replace_database(url.rsplit("/", 1)[1], instance)


def copy_rows(source, url, migration):
    """Migrate the empty PostgreSQL database to the migration, and copy the rows of the source into it."""
    target = create_engine(url)
    migrate_to(target, migration)
    source_tables, target_tables = MetaData(), MetaData()
    source_tables.reflect(source)
    with target.begin() as connection:
        target_tables.reflect(connection)
        for table in reversed(target_tables.sorted_tables):
            connection.execute(table.delete())
        # The search index is not copied: the start of the application fills it again.
        for table in target_tables.sorted_tables:
            found = (
                source.execute(select(source_tables.tables[table.name])).mappings()
                if table.name not in INDEX
                else ()
            )
            if values := [{name: convert_value(table.c[name], row[name]) for name in row} for row in found]:
                connection.execute(insert(table), values)
        for name in {"article_tally", "article_stats"} & target_tables.tables.keys():
            connection.execute(target_tables.tables[name].update().values(renderer=""))
    target.dispose()


def convert_value(column: Any, value: Any) -> Any:
    return UUID(value) if isinstance(column.type, Uuid) and value is not None else value


def select_recorded_columns(
    found: dict[str, list[dict[str, Any]]], recorded: dict[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the rows without the columns that later migrations have added."""
    columns = {table: set().union(*rows) for table, rows in recorded.items()}
    return {
        table: [{name: row[name] for name in row if name in columns.get(table, row)} for row in rows]
        for table, rows in found.items()
    }


def select_recorded_fields(
    rows: list[dict[str, Any]], recorded: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rows without the fields and the offsets of times that later versions have added."""
    return [
        {
            name: value.removesuffix("+00:00") if name == "created" and "+" not in known[name] else value
            for name, value in row.items()
            if name in known
        }
        for row, known in zip(rows, recorded, strict=True)
    ]


def check_authors(client: Any) -> None:
    """Check that each user has a profile, and that each article names the profile of its user."""
    profiles = {author["user"]: author["uuid"] for author in client.get(AUTHORS).json}
    assert {author["name"] for author in client.get(f"{AUTHORS}?fields=name").json} == {"ada", "grace", "mel"}
    changes = client.get("/api/v1/blog/changes/").json["changes"]
    logged = {change["uuid"] for change in changes if change["kind"] == "author"}
    assert logged == set(profiles.values())
    articles = client.get(f"{ARTICLES}author/me/?fields=author,authors").json
    assert articles
    for article in articles:
        assert [author["uuid"] for author in article["authors"]] == [profiles[article["author"]]]


def sort_rows(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[Any]]:
    """Return the stable columns of the rows, sorted."""
    return {
        table: sorted((select_stable_columns(row) for row in held), key=repr) for table, held in found.items()
    }


def join_seo_records(found: dict[str, list[dict[str, Any]]]) -> None:
    """Replace the table of SEO records, which a later migration drops, with columns of the articles.

    The documents of deleted items are changed in the same way.
    """
    for item in found.get("deleted_item", ()):
        document = json.loads(item["document"])
        join_seo_records(document)
        item["document"] = json.dumps(document, sort_keys=True)
    records = {record["article_id"]: record for record in found.pop("seo", ())}
    for article in found["article"] if records else ():
        record = records[article["uuid"]]
        article |= {f"seo_{name}": value for name, value in record.items() if name != "article_id"}


def test_an_upgraded_blog_keeps_its_rows_and_responses(recorded_blog, make_app, make_client, set_clock):
    before, recorded = recorded_blog
    join_seo_records(before)
    set_clock(LATER + timedelta(minutes=1))
    app = make_app()
    with app.app_context(), db.engine.connect() as connection:
        rows = read_rows(connection)
    join_seo_records(rows)
    after = sort_rows(select_recorded_columns(rows, before))
    for table, expected in sort_rows(before).items():
        assert after[table] == expected, table
    check_authors(make_client(app, recorded["keys"]["read"]))

    keys = recorded["keys"]
    for name in ("anonymous", "read"):
        client = make_client(app, keys[name])
        responses = {path: client.get(path).json for path in recorded[name]}
        for path in (path for path in responses if path.endswith("/redirects/")):
            responses[path] = select_recorded_fields(responses[path], recorded[name][path])
        assert responses == recorded[name]
    client = make_client(app, keys["anonymous"])
    found = client.get(f"{ARTICLES}?q=bread&fields=title").json
    assert {one["title"] for one in found} == {"html", "Markdown, later", "text"}
    assert client.get(f"{ARTICLES}?q=unseen").json == []
    own = make_client(app, keys["read"]).get(f"{ARTICLES}author/me/?fields=title,status").json
    assert len(own) == 8 and {one["status"] for one in own} == {"draft", "archived", "scheduled", "published"}
    statuses = {name: make_client(app, key).get(ARTICLES).status_code for name, key in keys.items()}
    assert statuses == dict.fromkeys(keys, 200) | {"expired": 401}
    path = next(iter(recorded["read"]))
    assert make_client(app, keys["member"]).patch(path, json={"title": "x"}).status_code == 403
    assert make_client(app, keys["write"]).patch(path, json={"subtitle": "new"}).status_code == 200
    login = make_client(app).post("/api/v1/auth/login/", json={"username": "mel", "password": PASSWORD})
    assert login.status_code == 200
    if not SERVER_URL:
        lines = app.test_cli_runner().invoke(args=["doctor", "--full"]).stdout.splitlines()
        # The file is newer than the clock of the test, which is set to the past.
        assert any(line.startswith("ok") for line in lines), lines
        assert [line for line in lines if line.startswith("wrong") and " clock: " not in line] == []
    close_connections(app)


@pytest.mark.slow
@pytest.mark.sqlite("its file is copied first")
@pytest.mark.parametrize("recorded_blog", [MIGRATIONS[0], MIGRATIONS[-2]], indirect=True)
def test_the_copy_made_before_the_upgrade_can_be_restored(
    recorded_blog, make_app, make_client, set_clock, instance
):
    _, recorded = recorded_blog
    set_clock(LATER + timedelta(minutes=1))
    app = make_app()
    copies = list((instance / "backups").glob("before-upgrade-from-*.db"))
    path = next(iter(recorded["read"]))
    writer = make_client(app, recorded["keys"]["write"])
    assert writer.patch(path, json={"title": "Changed"}).status_code == 200
    content = copies[0].read_bytes()
    verified = app.test_cli_runner().invoke(args=["backup", "--verify", str(copies[0])])
    assert verified.exit_code == 0, verified.output
    restored = app.test_cli_runner().invoke(args=["restore", str(copies[0])])
    assert restored.exit_code == 0 and "8 articles" in restored.stdout, restored.output
    assert copies[0].read_bytes() == content
    assert writer.get(path).json == recorded["read"][path]
    close_connections(app)


@pytest.mark.parametrize("recorded_blog", [MIGRATIONS[-1]], indirect=True)
def test_a_deleted_article_comes_back_with_its_seo_record(recorded_blog, make_app, make_client, set_clock):
    before, recorded = recorded_blog
    set_clock(LATER + timedelta(minutes=1))
    (item,) = before["deleted_item"]
    document = json.loads(item["document"])
    join_seo_records(document)
    client = make_client(make_app(), recorded["keys"]["write"])
    path = f"{ARTICLES}{UUID(str(item['uuid']))}/"
    assert client.post(f"{path}restore/").status_code == 200
    shown = client.get(path).json["seo"]
    names = ("uuid", "title", "description", "og_image", "canonical_url")
    (article,) = document["article"]
    assert {name: shown[name] for name in names} == {name: article[f"seo_{name}"] for name in names}
    close_connections(client.application)


@pytest.mark.sqlite("cannot add columns between others on PostgreSQL")
@pytest.mark.parametrize("recorded_blog", [MIGRATIONS[-1]], indirect=True)
def test_the_columns_of_an_article_have_the_order_of_the_model(
    recorded_blog, make_app, instance, databases, tmp_path
):
    close_connections(make_app())
    fresh = databases.create_current(tmp_path).removeprefix("sqlite:///")
    for path in (instance / "blog.db", fresh):
        with open_sqlite(path) as connection:
            columns = [row[1] for row in connection.execute("PRAGMA table_info(article)")]
        assert columns == table_of(Article).c.keys(), path
        # SQLite reads a row up to the last column that a statement selects.
        assert columns[-5:] == ["custom", "content", "toc", "html", "key_name"]


@pytest.mark.parametrize("recorded_blog", ["0042"], indirect=True)
def test_the_list_of_deleted_items_is_filled_from_the_documents(
    recorded_blog, make_app, make_client, set_clock
):
    before, recorded = recorded_blog
    set_clock(LATER + timedelta(minutes=1))
    (item,) = before["deleted_item"]
    (article,) = json.loads(item["document"])["article"]
    app = make_app()
    with app.app_context(), db.engine.connect() as connection:
        row = connection.execute(select(table_of(DeletedItem))).one()
    for name in ("title", "language", "cover_image"):
        assert getattr(row, name) == article[name]
    assert row.sort_key == make_sort_key(article["title"])
    assert (row.published_at, row.edits) == (None, None)
    (listed,) = make_client(app, recorded["keys"]["write"]).get("/api/v1/blog/deleted/").json
    assert (listed["title"], listed["status"]) == (article["title"], "draft")
    close_connections(app)
