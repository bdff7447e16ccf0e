"""Configures Django, creates and fills the tables, and serves."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import django
import waitress
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction

APP = "tests.benchmarks.drf"


def configure(database: Path) -> None:
    """Configure Django with as little middleware as possible, and create the tables."""
    settings.configure(
        SECRET_KEY="only for a measurement",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=f"{APP}.api",
        INSTALLED_APPS=["rest_framework", APP],
        # The middleware adds the ETag and the Content-Length, which the other servers send too.
        MIDDLEWARE=[
            "django.middleware.http.ConditionalGetMiddleware",
            "django.middleware.common.CommonMiddleware",
        ],
        DATABASES={
            "default": {
                "ENGINE": "django.db.backends.sqlite3",
                "NAME": str(database),
                "CONN_MAX_AGE": None,
                # As in blogapi, a write takes the lock at its start and waits until the data is on disk.
                "OPTIONS": {
                    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL",
                    "transaction_mode": "IMMEDIATE",
                },
            }
        },
        USE_TZ=True,
        TIME_ZONE="UTC",
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "UNAUTHENTICATED_USER": None,
            "DEFAULT_PERMISSION_CLASSES": [f"{APP}.defaults.HasKey"],
            "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
            "DEFAULT_PAGINATION_CLASS": f"{APP}.defaults.Pages",
            "PAGE_SIZE": 20,
            "DATETIME_FORMAT": "%Y-%m-%dT%H:%M:%S.%f",
        },
    )
    django.setup()
    call_command("migrate", run_syncdb=True, verbosity=0)


@transaction.atomic
def fill(content: dict[str, Any]) -> None:
    """Store the keys, and the `articles` and `tags` that blogapi has listed."""
    from tests.benchmarks.drf.models import ApiKey, Article, ArticleTag, Category, Seo, Tag

    author = content["articles"][0]["author"]
    for key, user in ((content["key"], None), (content["admin_key"], author)):
        ApiKey.objects.create(digest=hashlib.sha256(key.encode("utf-8")).hexdigest(), user=user)
    categories = {article["category"]["uuid"]: article["category"] for article in content["articles"]}
    Category.objects.bulk_create(Category(**_aware(fields)) for fields in categories.values())
    Tag.objects.bulk_create(Tag(**_aware(fields)) for fields in content["tags"])
    newest = datetime.now(UTC)
    for number, fields in enumerate(content["articles"]):
        worn, seo, category = fields.pop("tags"), fields.pop("seo"), fields.pop("category")
        # The list is ordered newest first, but its items have no publication dates.
        article = Article.objects.create(
            **fields, category_id=category["uuid"], published_at=newest - timedelta(days=number)
        )
        for position, tag in enumerate(worn):
            ArticleTag.objects.create(article=article, tag_id=tag["uuid"], position=position)
        Seo.objects.create(**_aware(seo | {"article": article}))


def _aware(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {name: f"{fields[name]}+00:00" for name in ("created", "last_updated")}


if __name__ == "__main__":
    file, database, port, threads = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    configure(database)
    fill(json.loads(file.read_text(encoding="utf-8")))
    connection.close()
    waitress.serve(get_wsgi_application(), host="127.0.0.1", port=port, threads=threads, ident=None)
