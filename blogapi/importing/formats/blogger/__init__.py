"""Read Blogger exports: Atom files from the settings page of Blogger or from Google Takeout."""
