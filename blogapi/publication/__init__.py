"""Who may see what, since when."""
