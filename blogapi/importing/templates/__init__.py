"""Template tags of site generators and wiki links, which are resolved when all articles are known."""
