"""The pages for writing and managing the blog; they use the public API alone and read no table."""
