"""Former slugs of articles with the current ones, from which a front end makes redirects."""
