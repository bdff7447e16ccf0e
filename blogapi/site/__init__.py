"""The site: the data of the blog as a whole that a front end needs, and the addresses of its pages."""
