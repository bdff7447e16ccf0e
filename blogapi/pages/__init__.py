"""Pages such as an imprint: articles with a place in a tree and without a category."""
