"""The blog "Notes from the harbour": articles of the demo, pictures, keys and waiting edits."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any
from uuid import UUID

from PIL import Image, ImageDraw
from sqlalchemy import select, update

from blogapi.accounts.users import service as users
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.writing import reassignment
from blogapi.operations.demo import seed
from blogapi.storage.database import current_time, db, transaction
from tests.admin.blogs import Blog, Client

# Each picture: its name, its size, the colours of the sky and the ground, and its alternative text.
PICTURES = (
    ("quay-at-six.jpg", (1600, 1200), "#f2d5a9", "#5d7b87", "A sailing boat at the quay in the morning"),
    ("marmalade-jars.jpg", (1280, 960), "#fbe3c4", "#b3713a", "Three jars of marmalade on a shelf"),
    ("eleven-ribs.jpg", (2400, 1800), "#eae6df", "#8a5a33", "The eleven ribs of a dinghy"),
    ("lighthouse-ebb.jpg", (1600, 1200), "#bcd6ea", "#3d6a85", "The lighthouse on its island at low water"),
    ("walnut-radio.jpg", (1280, 960), "#3a2f2b", "#8c5a33", "A radio with a case of walnut"),
    ("IMG_2291.jpg", (1600, 1200), "#c9cfd3", "#8d979d", ""),
    ("loaf-cut-once.jpg", (1600, 1200), "#efe5d8", "#a0673a", "A loaf with one slice cut off"),
    ("green-bicycle.jpg", (1280, 960), "#dfe8df", "#3c6e57", "A green bicycle"),
    ("night-light.jpg", (1600, 1200), "#22303f", "#101820", ""),
)
FOGHORN = "a-note-on-the-foghorn"
SPLICE = "an-eye-splice-half-way"
FOLDER = "why-i-moved-the-blog-to-one-folder"

# How long ago an article was changed that is not public.
CHANGED = {
    SPLICE: timedelta(minutes=2),
    "marmalade-third-attempt": timedelta(days=1),
    "the-swing-bridge-is-closed": timedelta(days=239),
    "to-be-opened-on-new-years-day-2099": timedelta(days=266),
}


def draw_picture(size: tuple[int, int], sky: str, ground: str) -> bytes:
    """Return a JPEG with a sky, a ground and a sun."""
    width, height = size
    picture = Image.new("RGB", size, sky)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, height * 2 // 3, width, height), fill=ground)
    radius = height // 8
    centre = (width * 3 // 4, height // 3)
    draw.circle(centre, radius, fill="#fff6df")
    draw.polygon(
        [(width // 5, height * 2 // 3), (width // 3, height // 4), (width // 2, height * 2 // 3)], ground
    )
    content = io.BytesIO()
    picture.save(content, "JPEG")
    return content.getvalue()


def fill_blog(blog: Blog, *, scale: int = 1, pictures: int = len(PICTURES)) -> dict[str, str]:
    """Fill the blog; return the uuids of its articles by their slugs.

    It gets the last `pictures` of PICTURES, which are `scale` times smaller.
    """
    with blog.app.app_context():
        seed.fill_empty_blog()
        reassignment.move_user_content(seed.AUTHOR_NAME, "ida")
        users.delete_user_by_name(seed.AUTHOR_NAME)
    ida, marit = blog.client("ida"), blog.client("marit")
    ida.patch(
        "blog/site/",
        {
            "title": "Notes from the harbour",
            "time_zone": "Europe/Lisbon",
            "url": "https://harbour.example",
        },
    )
    uploaded = [
        _upload(ida, name, draw_picture((width // scale, height // scale), sky, ground), text)
        for name, (width, height), sky, ground, text in PICTURES[-pictures:]
    ]
    articles = ida.get("blog/articles/?status=any&fields=uuid,slug")
    uuids: dict[str, str] = {article["slug"]: article["uuid"] for article in articles}
    ida.patch(f"blog/articles/{uuids[SPLICE]}/", {"cover_image": uploaded[0]["url"]})
    _write_versions(ida, marit, uuids[FOLDER])
    _save_edits(ida, uuids[FOGHORN], "It was heard in the next village.")
    for name, scopes in (
        ("old laptop", ["read"]),
        ("static site build", ["published"]),
        ("Marit", ["write"]),
    ):
        ida.post("auth/api-key/", {"name": name, "scopes": scopes})
    with blog.app.app_context():
        _set_times(uuids)
    return uuids


def _set_times(uuids: dict[str, str]) -> None:
    """Pretend that each article was changed when it was published, and the drafts lately."""
    ages = {UUID(uuids[slug]): age for slug, age in CHANGED.items()}
    with transaction():
        now = current_time()
        for article in db.session.scalars(select(Article)):
            if article.published_at and article.uuid not in ages:
                article.last_updated = article.published_at
            else:
                article.last_updated = now - ages[article.uuid]
        db.session.execute(update(WorkingCopy).values(last_updated=now - timedelta(days=3)))


def _upload(client: Client, name: str, content: bytes, text: str) -> Any:
    picture = client.send("POST", f"blog/media/?name={name}", data=content)
    return client.patch(f"blog/media/{picture['uuid']}/", {"alt": text}) if text else picture


def _write_versions(first: Client, second: Client, uuid: str) -> None:
    content = first.get(f"blog/articles/{uuid}/?fields=content")["content"]
    first.patch(f"blog/articles/{uuid}/", {"content": f"{content}\n\nIt takes half an hour."})
    second.patch(f"blog/articles/{uuid}/", {"content": f"{content}\n\nIt takes a quarter of an hour."})
    first.patch(
        f"blog/articles/{uuid}/",
        {"subtitle": "A shoebox for words, and a drill for the day it gets wet", "content": content},
    )


def _save_edits(client: Client, uuid: str, text: str) -> None:
    article = client.get(f"blog/articles/{uuid}/?fields=*,content_type,excerpt,cover_image")
    client.put(
        f"blog/articles/{uuid}/working-copy/",
        {
            "title": article["title"],
            "subtitle": article["subtitle"],
            "content": f"{article['content']}\n\n{text}",
            "content_type": article["content_type"],
            "category": article["category"]["uuid"],
            "tags": [tag["uuid"] for tag in article["tags"]],
        },
        headers={"If-None-Match": "*"},
    )
