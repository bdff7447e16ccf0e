"""Serializers of the responses, and of the body of a write."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone
from django.utils.text import slugify
from rest_framework import serializers

from tests.benchmarks.drf.models import Article, ArticleTag, Category, Seo, Tag

LINKS = Prefetch("links", ArticleTag.objects.select_related("tag"))


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


class CategoryReferenceSerializer(serializers.Serializer):
    """The category in the body of an article."""

    uuid = serializers.PrimaryKeyRelatedField(queryset=Category.objects.all())


class TagReferenceSerializer(serializers.Serializer):
    """A tag in the body of an article."""

    uuid = serializers.PrimaryKeyRelatedField(queryset=Tag.objects.all())


class SeoBodySerializer(serializers.ModelSerializer):
    """The SEO record in the body of an article."""

    class Meta:
        """The fields of the body."""

        model = Seo
        fields = ("og_image", "title", "description", "canonical_url")


class ArticleWriteSerializer(serializers.ModelSerializer):
    """The body of a write, with the tags, the category and the SEO record of the article."""

    tags = TagReferenceSerializer(many=True)
    category = CategoryReferenceSerializer()
    seo = SeoBodySerializer()

    class Meta:
        """The fields of the body."""

        model = Article
        fields = (
            *("title", "subtitle", "tags", "category", "cover_image", "content", "status"),
            *("content_type", "seo"),
        )

    @transaction.atomic
    def create(self, fields: dict[str, Any]) -> Article:
        """Store an article with its tags and its SEO record."""
        tags, seo = fields.pop("tags"), fields.pop("seo")
        fields |= {"category": fields["category"]["uuid"], "slug": slugify(fields["title"])}
        article = Article.objects.create(**fields, published_at=timezone.now())
        Seo.objects.create(article=article, **seo)
        _store_tags(article, tags)
        return article

    @transaction.atomic
    def update(self, article: Article, fields: dict[str, Any]) -> Article:
        """Change the given fields of an article."""
        tags, seo = fields.pop("tags", None), fields.pop("seo", {})
        if "category" in fields:
            fields["category"] = fields["category"]["uuid"]
        for name, value in fields.items():
            setattr(article, name, value)
        article.save()
        if seo:
            Seo.objects.filter(article=article).update(**seo, last_updated=timezone.now())
            article.seo.refresh_from_db()
        if tags is not None:
            article.links.all().delete()
            _store_tags(article, tags)
        return article

    def to_representation(self, article: Article) -> dict[str, Any]:
        """Return the same response as for a read."""
        prefetch_related_objects([article], LINKS)
        return ArticleSerializer(article, context=self.context).data


def _store_tags(article: Article, tags: list[dict[str, Any]]) -> None:
    ArticleTag.objects.bulk_create(
        ArticleTag(article=article, tag=tag["uuid"], position=position) for position, tag in enumerate(tags)
    )
