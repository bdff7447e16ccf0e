"""Redirects from old addresses of the blog: from former slugs and paths of items, and custom redirects."""
