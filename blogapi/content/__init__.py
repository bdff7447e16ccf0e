"""The content of a blog: how it is written, read and searched. Feeds and other formats are in `delivery`."""
