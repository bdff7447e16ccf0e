"""Former slugs and former paths, each with the current slug, so that a front end can redirect old URLs."""
