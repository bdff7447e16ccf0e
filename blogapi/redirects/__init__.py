"""Former slugs of articles, which still lead to them."""
