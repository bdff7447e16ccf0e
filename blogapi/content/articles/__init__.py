"""Articles and pages: their tables, permissions, lists, responses and writes."""
