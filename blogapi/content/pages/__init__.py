"""Pages such as an imprint: articles that have a position in a tree and no category."""
