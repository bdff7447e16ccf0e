"""The common code of categories, tags and authors: each of these is a taxonomy, whose members are terms."""
