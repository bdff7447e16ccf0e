"""Links under which a single article can be read before it is public."""
