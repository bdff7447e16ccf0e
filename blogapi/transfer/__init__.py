"""Import articles from the files of other blogs."""
