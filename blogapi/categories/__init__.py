"""Categories: the shelves that articles stand on."""
