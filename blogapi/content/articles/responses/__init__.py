"""The bodies of responses with articles: stored fields, and fields that are computed at each read."""
