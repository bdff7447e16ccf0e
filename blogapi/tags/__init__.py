"""Tags: the words that articles are found by."""
