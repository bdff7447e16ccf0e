"""Tags; an article has any number of them."""
