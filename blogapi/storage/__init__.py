"""The database: sessions, transactions, the write lock, upgrades and files."""
