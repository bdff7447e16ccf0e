"""Views and paths; each list executes a fixed number of statements."""

from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.urls import path
from django.utils import timezone
from rest_framework import generics
from rest_framework.permissions import SAFE_METHODS
from rest_framework.serializers import BaseSerializer

from tests.benchmarks.drf.models import Article, Category, Tag
from tests.benchmarks.drf.serializers import (
    LINKS,
    ArticleSerializer,
    ArticleWriteSerializer,
    CategorySerializer,
    TagSerializer,
)


class Articles:
    """The common base of the views of articles."""

    def get_serializer_class(self) -> type[BaseSerializer]:
        """Return the serializer class for the request method."""
        return ArticleSerializer if self.request.method in SAFE_METHODS else ArticleWriteSerializer

    def get_queryset(self) -> QuerySet[Article]:
        """Return the published articles, newest first."""
        articles = (
            Article.objects.filter(status="published", published_at__lte=timezone.now())
            .select_related("category", "seo")
            .order_by("-published_at", "uuid")
        )
        # A write loads the tags only for its response.
        return articles.prefetch_related(LINKS) if self.request.method in SAFE_METHODS else articles


class ArticleList(Articles, generics.ListCreateAPIView):
    """The published articles."""

    def perform_create(self, serializer: BaseSerializer) -> None:
        """Store the article with the caller as its author."""
        serializer.save(author=self.request.auth)


class ArticleDetail(Articles, generics.RetrieveUpdateAPIView):
    """A single published article."""


class TagList(generics.ListAPIView):
    """The tags by name."""

    queryset = Tag.objects.order_by(Lower("name"), "uuid")
    serializer_class = TagSerializer


class CategoryList(generics.ListAPIView):
    """The categories by name."""

    queryset = Category.objects.order_by(Lower("name"), "uuid")
    serializer_class = CategorySerializer


urlpatterns = [
    path("api/v1/blog/articles/", ArticleList.as_view()),
    path("api/v1/blog/articles/<uuid:pk>/", ArticleDetail.as_view()),
    path("api/v1/blog/tags/", TagList.as_view()),
    path("api/v1/blog/categories/", CategoryList.as_view()),
]
