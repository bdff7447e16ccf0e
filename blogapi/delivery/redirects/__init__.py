"""Former slugs and paths, each with the current slug, and custom redirects, for old URLs of the blog."""
