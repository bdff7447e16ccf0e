"""A program that reads one request per line of standard input and prints each response as JSON."""

from __future__ import annotations

import json
import sys

from blogapi import create_app
from blogapi.api_keys import service as api_keys
from blogapi.storage.database import transaction
from blogapi.users import service as users
from blogapi.users.models import Role


def main() -> None:
    """Open the database at the URL in the first argument, and send each request as a new admin."""
    app = create_app({"SQLALCHEMY_DATABASE_URI": sys.argv[1], "SECRET_KEY": "x" * 32, "TESTING": True})
    with app.app_context(), transaction():
        admin = users.create("ada", None, role=Role.ADMIN)
        key = api_keys.issue(admin.uuid, scopes={"write"}).value
    client = app.test_client()
    for line in sys.stdin:
        response = client.open(**json.loads(line), headers={"X-API-KEY": key})
        sys.stdout.write(json.dumps([response.status_code, response.json]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
