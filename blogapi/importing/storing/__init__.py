"""Store records in the blog: terms, authors, pictures, articles and former addresses."""
