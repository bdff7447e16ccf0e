"""The database: sessions, transactions, the write lock, upgrades, files; tables belong to their packages."""
