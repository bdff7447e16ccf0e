"""Links with which anyone can read a single article or page before it is public."""
