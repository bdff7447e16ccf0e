"""Each scheduled article is announced once, whichever process and whichever clock is first."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from sqlalchemy import select

from blogapi.content.articles.models import Article
from blogapi.publication.models import ChangeType, Event
from blogapi.storage.database import db
from tests.databases import SERVER_URL
from tests.durability.test_two_processes import run as run

pytestmark = pytest.mark.slow

NUMBER = 15
# PostgreSQL has one clock for all servers.
SECONDS_AHEAD = 0 if SERVER_URL else 10

# A process whose clock is argv[1] seconds ahead.
START = """
import json, os, random, sys
from datetime import timedelta
from blogapi import clock, create_app
from blogapi.storage import connections
connections.WRITE_WAIT_SECONDS = 50
ahead, random = timedelta(seconds=int(sys.argv[1])), random.Random(sys.argv[1])
get_time = clock.now
clock.now = lambda: get_time() + ahead
client, headers = create_app().test_client(), {"X-API-KEY": sys.argv[2]}
def send(method, path, **options):
    response = client.open(f"/api/v1/{path}", method=method, headers=headers, **options)
    assert response.status_code < 400, response.json
    return response.json
"""

# Schedules argv[3] articles soon after the time of the clock that is argv[4] seconds ahead, and creates tags.
SCHEDULER = f"""{START}
for number in range(int(sys.argv[3])):
    due = get_time() + timedelta(seconds=int(sys.argv[4]) + 5 + random.random() * 3)
    send("POST", "blog/articles/", json={{"title": f"Due {{number}}", "content": "x", "status": "published",
        "published_at": due.isoformat()}})
    send("POST", "blog/tags/", json={{"name": f"Written {{os.getpid()}} {{number}}"}})
"""

# Follows the feed in pages of 7 until it has seen argv[3] articles and then nothing more; prints their uuids.
FOLLOWER = f"""{START}
import time
cursor, seen, quiet = "0", [], 0
while quiet < 10:
    page = send("GET", "blog/changes/", query_string={{"since": cursor, "limit": "7"}})
    cursor, changes = page["cursor"], [one for one in page["changes"] if one["kind"] == "article"]
    assert all(one["action"] == "fetch" for one in changes), changes
    seen += [one["uuid"] for one in changes]
    quiet = quiet + 1 if len(seen) >= int(sys.argv[3]) and not page["changes"] else 0
    time.sleep(0.05)
print(json.dumps(seen))
"""


def test_each_scheduled_article_is_announced_and_seen_once(run, app, people):
    reader, writer = people.key(None), people.key(people.admin, "write")
    followers = [run(FOLLOWER, str(ahead), reader, str(2 * NUMBER)) for ahead in (0, SECONDS_AHEAD)]
    schedulers = [
        run(SCHEDULER, str(ahead), writer, str(NUMBER), str(SECONDS_AHEAD)) for ahead in (0, SECONDS_AHEAD)
    ]
    assert [process.wait(timeout=300) for process in schedulers] == [0, 0]
    seen = [json.loads(process.communicate(timeout=300)[0]) for process in followers]
    with app.app_context():
        articles = {str(uuid) for uuid in db.session.scalars(select(Article.uuid))}
        statement = select(Event.uuid).where(Event.kind == Article.kind, Event.change == ChangeType.PUBLISHED)
        published = Counter(map(str, db.session.scalars(statement)))
    assert len(articles) == 2 * NUMBER
    assert published == dict.fromkeys(articles, 1)
    assert [Counter(uuids) for uuids in seen] == [dict.fromkeys(articles, 1)] * 2
