"""The common part of categories and tags: both are taxonomies, and a single category or tag is a term."""
