"""Links that show one article before it is public."""
