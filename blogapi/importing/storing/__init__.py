"""Records into the blog: terms, authors, pictures, articles, former addresses."""
