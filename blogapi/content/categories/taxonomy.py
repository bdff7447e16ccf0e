"""The taxonomy of categories."""

from __future__ import annotations

from functools import partial

from blogapi.content.categories import schemas
from blogapi.content.categories.models import Category
from blogapi.content.taxonomies.hierarchy import check_parent
from blogapi.content.taxonomies.taxonomy import Taxonomy

# The name of the category of articles that are created or imported without a category.
DEFAULT_CATEGORY = "Uncategorised"

CATEGORIES = Taxonomy(
    singular="category",
    plural="categories",
    model=Category,
    stored_schema=schemas.EmbeddedCategorySchema,
    schema=schemas.CategorySchema,
    fields_schema=schemas.CategoryFieldsSchema,
    single_schema=schemas.SingleCategorySchema,
    body_schema=schemas.CategoryBodySchema,
    deletion="Delete a category that has no articles.",
    defaults={"description": None, "cover_image": ""},
    check=partial(check_parent, Category),
    list_section="4.3",
    detail_section="4.4",
)
