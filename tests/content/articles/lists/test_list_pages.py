"""Each page of a list is the part of the whole list that its number says, from whichever end it is read."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest
from sqlalchemy import select

from blogapi import clock
from blogapi.content.articles.models import Article, WorkingCopy
from blogapi.content.articles.writing import repeated_columns as links
from blogapi.publication.events import EPOCH
from blogapi.publication.visibility import get_api_status
from blogapi.storage.database import db, transaction
from blogapi.web.pagination import PageRequest
from tests.conftest import ARTICLES

ORDERINGS = [sign + name for name in ("published_at", "title", "last_updated") for sign in ("-", "")]
PUBLIC = (
    *("", "category=kitchen", "tag=bread", "author=ada", "author=own-author", "category=kitchen&tag=bread"),
    *("tag=bread&tag=rye", "tag=bread&author=own-author", "category=kitchen&author=own-author"),
    *(
        "published_after=2020-01-02",
        "tag=rye&published_before=2020-01-03",
        "tag=rye&category=a&category=kitchen",
    ),
    *(
        "tags_all=bread&tags_all=rye",
        "tags_all=rye",
        "tag=rye&not_tag=bread",
        "author=own-author&not_tag=bread",
    ),
    *(
        "not_tag=bread",
        "not_tag=rye&not_tag=bread",
        "not_category=kitchen",
        "not_category=kitchen&not_tag=bread",
    ),
    "updated_after=2020-01-01",
)
ALL = (
    *("status=any&not_tag=bread", "status=draft&not_tag=bread&not_category=kitchen"),
    *("status=any&tags_all=rye&tags_all=bread", "status=any&updated_after=2020-01-01"),
    *(f"status={status}" for status in ("any", "draft", "published", "scheduled", "archived")),
    *("status=any&category=kitchen", "status=draft&tag=bread", "working_copy=true", "working_copy=false"),
)
SIZE = 4


@pytest.fixture
def written(fill_blog, write_all):
    """Articles in all statuses with equal dates and titles, some of them with working copies."""
    fill_blog("lists", write_all)


@pytest.fixture
def write_all(app, make_article, make_category, make_tag, make_guest, people):
    """Writes the articles."""

    def write():
        kitchen, tags = make_category(name="Kitchen"), (make_tag("bread"), make_tag("rye"))
        authors = [{"uuid": str(make_guest(name="Own author").uuid)}, {"slug": "ada"}]
        statuses = (*["published"] * 4, "draft", "archived", "scheduled")
        for number, (status, day) in enumerate(itertools.product(statuses, (1, 1, 2, 3, None))):
            dates = {"published_at": f"{2999 if status == 'scheduled' else 2020}-01-0{day}"} if day else {}
            if status == "scheduled" and not day:
                dates = {"published_at": "2999-01-04"}
            make_article(
                **({"category": kitchen} if number % 3 else {}),
                tags=tags[number % 2 :] if number % 4 else (),
                authors=authors[number % 2 :],
                title="Aa"[number % 2] + "bC"[number % 3 % 2],
                status=status,
                **dates,
            )
        with app.app_context(), transaction():
            for number, article in enumerate(
                db.session.scalars(select(Article).order_by(Article.uuid)).all()
            ):
                article.last_updated = clock.now() + timedelta(days=number % 3)
                if number % 2:
                    saved = clock.now() + timedelta(days=number % 5, hours=1)
                    copy = WorkingCopy(article_id=article.uuid, user_id=people.admin.uuid, base_version=1)
                    copy.content, copy.created, copy.last_updated = "{}", saved, saved
                    db.session.add(copy)

    return write


def sort_articles(ordering, *, public):
    """Return the uuids of the articles in the documented order."""
    copies = {copy.article_id: copy.last_updated for copy in db.session.scalars(select(WorkingCopy))}

    def get_value(article):
        if "title" in ordering:
            return article.title.lower()
        if "last_updated" in ordering:
            saved = article.last_updated if public else copies.get(article.uuid, article.last_updated)
            return max(article.last_updated, saved)
        return (article.published_at is None, article.published_at or EPOCH)

    articles = db.session.scalars(select(Article).order_by(Article.uuid)).all()
    if public:
        articles = [article for article in articles if get_api_status(article, clock.now()) == "published"]
    return [str(article.uuid) for article in sorted(articles, key=get_value, reverse=ordering[0] == "-")]


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_the_pages_of_each_list_are_the_whole_list_in_its_order(app, as_admin, written, ordering):
    with app.app_context():
        ordered = {public: sort_articles(ordering, public=public) for public in (True, False)}
    for number, query in enumerate((*PUBLIC, *ALL)):
        path = f"{ARTICLES}?{query}&ordering={ordering}&fields=uuid"
        whole = [article["uuid"] for article in as_admin.get(path).json]
        assert whole == [uuid for uuid in ordered[query in PUBLIC] if uuid in set(whole)], query
        assert whole, query
        # Each filter is paged in two of the orderings, one in each direction.
        if "&" in query and (number - ORDERINGS.index(ordering)) % 3:
            continue
        pages = []
        for page in range(1, len(whole) // SIZE + 3):
            answer = as_admin.get(f"{path}&page={page}&page_size={SIZE}")
            assert answer.headers["X-Total-Count"] == str(len(whole)), query
            pages.append([article["uuid"] for article in answer.json])
        assert pages == [whole[start : start + SIZE] for start in range(0, SIZE * len(pages), SIZE)], query


def test_the_lists_of_all_statuses_have_the_articles_in_this_status(app, as_admin, written):
    with app.app_context():
        statuses = {
            str(article.uuid): get_api_status(article, clock.now()) for article in db.session.query(Article)
        }
    for status in set(statuses.values()):
        found = {article["uuid"] for article in as_admin.get(f"{ARTICLES}?status={status}&fields=uuid").json}
        assert found == {uuid for uuid, other in statuses.items() if other == status}


def test_the_stored_links_are_right(app, written):
    with app.app_context():
        assert links.count_differing_rows() == 0


@pytest.mark.parametrize("total", range(8))
def test_a_page_is_read_from_the_nearer_end(total):
    rows = list(range(total))
    for number in range(1, 6):
        limit, offset, is_backwards = PageRequest(number, 2).compute_row_range(total)
        read = (rows[::-1] if is_backwards else rows)[offset : offset + limit]
        assert sorted(read) == rows[2 * number - 2 : 2 * number]
        assert offset <= total / 2
