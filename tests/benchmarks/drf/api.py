"""Serializers, views and paths; each list executes a fixed number of statements."""

from __future__ import annotations

from django.db.models import Prefetch, QuerySet
from django.db.models.functions import Lower
from django.urls import path
from django.utils import timezone
from rest_framework import generics, serializers

from tests.benchmarks.drf.models import Article, ArticleTag, Category, Seo, Tag


class TagSerializer(serializers.ModelSerializer):
    """A tag."""

    class Meta:
        """The fields of the response."""

        model = Tag
        fields = ("uuid", "created", "last_updated", "name", "slug", "user")


class CategorySerializer(serializers.ModelSerializer):
    """A category."""

    class Meta:
        """The fields of the response."""

        model = Category
        fields = ("uuid", "name", "description", "cover_image", "slug")


class EmbeddedCategorySerializer(serializers.ModelSerializer):
    """A category inside an article."""

    class Meta:
        """The fields of the response."""

        model = Category
        fields = (*CategorySerializer.Meta.fields, "user", "created", "last_updated")


class SeoSerializer(serializers.ModelSerializer):
    """An SEO record."""

    class Meta:
        """The fields of the response."""

        model = Seo
        fields = (
            *("uuid", "created", "last_updated", "og_image", "title", "description", "canonical_url"),
            "article",
        )


class ArticleSerializer(serializers.ModelSerializer):
    """An article with its tags, category and SEO record."""

    tags = TagSerializer(many=True)
    category = EmbeddedCategorySerializer()
    seo = SeoSerializer()

    class Meta:
        """The fields of the response."""

        model = Article
        fields = (
            *("uuid", "author", "title", "subtitle", "tags", "category", "slug", "cover_image", "content"),
            *("status", "content_type", "seo"),
        )


class Articles:
    """The common base of the views of articles."""

    serializer_class = ArticleSerializer

    def get_queryset(self) -> QuerySet[Article]:
        """Return the published articles, newest first."""
        return (
            Article.objects.filter(status="published", published_at__lte=timezone.now())
            .select_related("category", "seo")
            .prefetch_related(Prefetch("links", ArticleTag.objects.select_related("tag")))
            .order_by("-published_at", "uuid")
        )


class ArticleList(Articles, generics.ListAPIView):
    """The published articles."""


class ArticleDetail(Articles, generics.RetrieveAPIView):
    """One article."""


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
