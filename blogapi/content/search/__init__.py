"""Full-text search over articles: FTS5 on SQLite, tsvector on PostgreSQL."""
