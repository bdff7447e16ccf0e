"""Read Blogger exports: Atom files from its settings page or from Google Takeout."""
