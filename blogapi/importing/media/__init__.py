"""Find the media files to which imported articles refer, and store them in the library."""
