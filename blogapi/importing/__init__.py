"""Import articles from other blogs, and export the blog."""
