"""The tables."""

from __future__ import annotations

from uuid import uuid4

from django.db import models
from django.utils import timezone


class ApiKey(models.Model):
    """An API key, stored as a digest; only the key of a user may write."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.UUIDField(null=True)


class Category(models.Model):
    """A category."""

    uuid = models.UUIDField(primary_key=True, default=uuid4)
    name = models.TextField()
    description = models.TextField(null=True)
    cover_image = models.TextField()
    slug = models.TextField(unique=True)
    user = models.UUIDField()
    created = models.DateTimeField()
    last_updated = models.DateTimeField()


class Tag(models.Model):
    """A tag."""

    uuid = models.UUIDField(primary_key=True, default=uuid4)
    created = models.DateTimeField()
    last_updated = models.DateTimeField()
    name = models.TextField()
    slug = models.TextField(unique=True)
    user = models.UUIDField()


class Article(models.Model):
    """An article."""

    uuid = models.UUIDField(primary_key=True, default=uuid4)
    author = models.UUIDField()
    title = models.TextField()
    subtitle = models.TextField()
    category = models.ForeignKey(Category, on_delete=models.PROTECT)
    slug = models.TextField(unique=True)
    cover_image = models.TextField()
    content = models.TextField()
    status = models.CharField(max_length=16)
    content_type = models.CharField(max_length=16)
    published_at = models.DateTimeField()

    class Meta:
        """The index of the published articles."""

        indexes = (models.Index(fields=["status", "published_at", "uuid"], name="visible"),)

    @property
    def tags(self) -> list[Tag]:
        """Return the tags in the author's order."""
        return [link.tag for link in self.links.all()]


class ArticleTag(models.Model):
    """A tag of an article and its position."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="links")
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE)
    position = models.IntegerField()

    class Meta:
        """The order of the tags."""

        ordering = ("position",)


class Seo(models.Model):
    """The description of an article for search engines."""

    uuid = models.UUIDField(primary_key=True, default=uuid4)
    created = models.DateTimeField(default=timezone.now)
    last_updated = models.DateTimeField(default=timezone.now)
    og_image = models.TextField(blank=True)
    title = models.TextField()
    description = models.TextField(blank=True)
    canonical_url = models.TextField(blank=True)
    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="seo")
