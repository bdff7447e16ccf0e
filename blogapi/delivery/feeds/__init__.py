"""Feeds, the sitemap and robots.txt, which need no key; a front end can fetch or proxy them."""
