"""Links with which anyone can read a single article before it is public."""
