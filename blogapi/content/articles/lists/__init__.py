"""The lists of articles: their filters, their order and their counts."""
