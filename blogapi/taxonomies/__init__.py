"""The common code of the taxonomies: categories, tags and authors, each of which is called a term."""
