"""The common code of categories, tags and authors: each is a taxonomy, and its members are terms."""
