"""The visibility of items: who can see them, and since when."""
