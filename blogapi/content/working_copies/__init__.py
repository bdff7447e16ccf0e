"""Working copies: the edits of articles that are not part of the articles yet."""
