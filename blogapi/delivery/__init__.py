"""How content reaches readers besides its own API: feeds, redirects, previews, webhooks, the response cache.

It writes no content, and who may see an item is decided in `publication`.
"""
