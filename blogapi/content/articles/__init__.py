"""Articles, each with its author, tags, category and SEO record."""
