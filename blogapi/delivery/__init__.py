"""Delivers content: feeds, redirects, previews, webhooks, cached responses. No module here writes content."""
