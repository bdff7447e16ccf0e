"""Feeds, redirects, previews and webhooks; no module here writes content or decides who may see it."""
