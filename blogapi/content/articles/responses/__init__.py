"""The contents of responses with articles: the stored JSON, and the fields that each read computes."""
