"""The web pages on which users write and manage the blog; they use only the public API."""
