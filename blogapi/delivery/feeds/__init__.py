"""Feeds, the sitemap and robots.txt, which the site fetches or proxies; they need no key."""
