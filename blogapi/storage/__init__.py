"""The database: sessions, transactions, the write lock, upgrades, the change log and files."""
