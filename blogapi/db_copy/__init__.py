"""The copy of a blog from SQLite to PostgreSQL or back."""
