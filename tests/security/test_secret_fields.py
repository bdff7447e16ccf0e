"""No read shows anything of a custom field that only admins may read to anyone else."""

from __future__ import annotations

import io
import zipfile

import pytest
from flask.testing import FlaskClient

from blogapi.web.access import Role
from tests.conftest import ARTICLES

pytestmark = pytest.mark.slow

FIELDS, PAGES = "/api/v1/blog/fields/", "/api/v1/blog/pages/"
# The name and the words of a field that only admins read, and those of one that was deleted.
SECRETS = ("paid_to", "paid to", "maritsecret", "perlasecret", "gonefield", "gonesecret")


def get_text(answer):
    """Return the text of a response, and of the files in an archive."""
    if answer.mimetype != "application/zip":
        return answer.get_data(as_text=True).casefold()
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        texts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return " ".join([*archive.namelist(), *texts]).casefold()


@pytest.fixture
def secret(as_admin, as_login, as_role):
    """The values of the parameters of paths that lead to an article and to a page with secret fields."""
    for name in ("paid_to", "gonefield"):
        body = {"name": name, "label": "Paid to", "type": "text", "kinds": ["article", "page"]}
        field = as_login.post(FIELDS, json={**body, "read_by": "admins"}).json["uuid"]
    as_login.post(FIELDS, json={"name": "note", "label": "Note", "type": "text", "searched": True})
    author = as_role(Role.AUTHOR, can_publish=True)
    article = author.post(ARTICLES, json={"title": "A", "content": "Bread", "status": "published"}).json[
        "uuid"
    ]
    page = as_admin.post(PAGES, json={"title": "P", "status": "published"}).json["uuid"]
    paths = {"articles": f"{ARTICLES}{article}/", "pages": f"{PAGES}{page}/"}
    for path in paths.values():
        for name in ("Maritsecret", "Perlasecret"):
            custom = {"paid_to": name, "gonefield": "gonesecret"}
            assert as_admin.patch(path, json={"custom": custom, "subtitle": name[0]}).status_code == 200
        copy = {"title": "B", "custom": {"paid_to": "Maritsecret"}}
        assert as_admin.put(f"{path}working-copy/", json=copy).status_code == 201
    token = as_admin.post(f"{paths['articles']}preview/").json["api_url"].rstrip("/").rpartition("/")[2]
    as_login.delete(f"{FIELDS}{field}/")
    return {"articles": article, "pages": page, "token": token, "field": field}


def list_reads(document, given):
    """Yield the path of each operation that reads."""
    for path, operations in document["paths"].items():
        if "get" in operations:
            kind = "pages" if "/pages/" in path else "articles"
            values = {"{id}": given[kind], "{number}": "2", "{token}": given["token"], "{name}": "x"}
            for name, value in {**values, "{delivery}": given[kind]}.items():
                path = path.replace(name, value)
            yield path


# The queries that a read does not take are refused.
QUERIES = (
    *({}, {"q": "Perlasecret"}, {"q": "Maritsecret", "status": "any"}, {"custom.paid_to": "x"}),
    *({"ordering": "custom.paid_to"}, {"fields": "uuid,custom"}, {"drafts": "true"}),
    {"fields": "uuid,custom,custom_unfit", "status": "any"},
)


def read(client, path, query):
    headers = {"X-API-KEY": client.key} if client.key else {}
    return FlaskClient.open(client, path, query_string=query, headers=headers)


@pytest.mark.parametrize("name", ["stranger", "reader", "author", "editor"])
def test_no_read_shows_a_field_for_admins(name, secret, as_admin, as_stranger, as_reader, as_role):
    document = as_admin.get("/openapi.json").json
    role = {"author": Role.AUTHOR, "editor": Role.EDITOR}.get(name)
    clients = [{"stranger": as_stranger, "reader": as_reader}.get(name)]
    if role:
        clients = [as_role(role, scope, can_publish=True) for scope in ("write", "login")]
    for client in clients:
        answers = {
            (path, *query.items()): read(client, path, query)
            for path in list_reads(document, secret)
            for query in QUERIES
        }
        assert sum(answer.status_code == 200 for answer in answers.values()) > 10
        for request, answer in answers.items():
            if "q" in dict(request[1:]) and answer.status_code == 200 and request[0] in (ARTICLES, PAGES):
                assert answer.json == [], request
            text = get_text(answer)
            for words in [str(word).casefold() for _, word in request[1:]] + ["custom.paid_to"]:
                text = text.replace(words, "")
            assert not [word for word in SECRETS if word in text], (request, text[:500])
