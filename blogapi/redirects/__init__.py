"""Former slugs of articles, each with the current slug, so that a front end can redirect old URLs."""
