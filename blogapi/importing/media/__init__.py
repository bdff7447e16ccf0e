"""Find the media files to which imported articles refer, and store the files in the library."""
