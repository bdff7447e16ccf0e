"""Import articles from the files of other blogs: read everything, then store it in batches."""
