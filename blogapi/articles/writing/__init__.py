"""What a write of articles stores: rows, versions, JSON, the search index and events."""
