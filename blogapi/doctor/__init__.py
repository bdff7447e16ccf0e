"""Whether the blog is well, and what to do where it is not."""
