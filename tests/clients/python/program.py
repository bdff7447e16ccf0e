"""A program that uses the client that openapi-python-client generates. It prints one line for each step."""

import os

from blogapi_client import AuthenticatedClient
from blogapi_client.api.articles import (
    create_article,
    get_article,
    list_articles,
    replace_article,
    update_article,
)
from blogapi_client.api.categories import list_categories, replace_categories
from blogapi_client.api.pages import create_page, get_page
from blogapi_client.models import (
    Article,
    ArticleBody,
    ArticleChanges,
    ContentType,
    CustomFields,
    CustomFieldsChanges,
    CustomFieldsChangesLevelType0,
    CustomFieldsLevel,
    Page,
    PageBody,
    Problem,
    Reference,
    Status,
)
from blogapi_client.types import Unset

blog = AuthenticatedClient(
    base_url=os.environ["BLOG_URL"],
    token=os.environ["BLOG_KEY"],
    prefix="",
    auth_header_name="X-API-KEY",
    raise_on_unexpected_status=True,
    follow_redirects=True,
)

# List a page, and search.
articles = list_articles.sync(client=blog, page=1, page_size=10)
assert isinstance(articles, list)
print("listed", [f"{article.title} ({article.category.name})" for article in articles])

found = list_articles.sync(client=blog, q="bread")
assert isinstance(found, list)
print("found", [article.title for article in found])

# Read fields that only `fields` returns; their types are optional.
listed = list_articles.sync(client=blog, fields="*,authors,excerpt")
assert isinstance(listed, list)
print("authors", [f"{article.authors[0].name}: {article.excerpt}" for article in listed if article.authors])

# Create an article.
body = ArticleBody(
    title="Soup",
    content="Water, *salt*.",
    content_type=ContentType.MARKDOWN,
    category=Reference(slug="kitchen"),
)
created = create_article.sync(client=blog, body=body)
if not isinstance(created, Article):
    raise SystemExit(created.detail if created else "no response")
print("created", created.slug, created.status.value)

# Read it, change it, and write it back, unless someone else has changed it since.
response = get_article.sync_detailed(created.slug, client=blog)
article = response.parsed
assert isinstance(article, Article)
article.title = "Fish soup"
etag = response.headers["ETag"]
replaced = replace_article.sync(created.uuid, client=blog, body=article, if_match=etag)
assert isinstance(replaced, Article)
print("replaced", replaced.title, replaced.content)

conflict = replace_article.sync(created.uuid, client=blog, body=article, if_match=etag)
if isinstance(conflict, Problem):
    print("refused", conflict.status, conflict.code)

# Change one field.
updated = update_article.sync(created.uuid, client=blog, body=ArticleChanges(status=Status.PUBLISHED))
assert isinstance(updated, Article)
print("updated", updated.status.value)

# Handle an unknown article.
missing = get_article.sync("no-such-article", client=blog)
if isinstance(missing, Problem):
    print("missing", missing.status, missing.code)

# What the other resources return is a valid body, too.
categories = list_categories.sync(client=blog)
assert isinstance(categories, list)
categories[0].name = "The kitchen"
renamed = replace_categories.sync(client=blog, body=[*categories])
assert isinstance(renamed, list)
print("renamed", [category.name for category in renamed])

# Custom fields have the types of their definitions, in bodies, responses and filters.
changes = CustomFieldsChanges(
    rating=4.5, level=CustomFieldsChangesLevelType0.EASY, steps=["Boil", "Eat"], vegan=False
)
update_article.sync(created.uuid, client=blog, body=ArticleChanges(custom=changes, language="de"))
rated = list_articles.sync(client=blog, custom_rating=[4.5], language="de", fields="*,custom,language")
assert isinstance(rated, list)
custom = rated[0].custom
assert isinstance(custom, CustomFields)
rating: float | Unset = custom.rating
level: CustomFieldsLevel | Unset = custom.level
print("rated", rated[0].title, rating, level, custom.steps, rated[0].language, hasattr(custom, "note"))

# Pages have a place in a tree, and the same fields.
page = create_page.sync(
    client=blog,
    body=PageBody(title="About", status=Status.UNLISTED, custom=CustomFieldsChanges(street="Quay 1")),
)
assert isinstance(page, Page)
found_page = get_page.sync("about", client=blog, fields="*,custom")
assert isinstance(found_page, Page)
assert isinstance(found_page.custom, CustomFields)
print("page", found_page.title, found_page.status.value, found_page.position, found_page.custom.street)
