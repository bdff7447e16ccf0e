"""The site: what a front end needs to know about the blog as a whole, and the addresses of its pages."""
