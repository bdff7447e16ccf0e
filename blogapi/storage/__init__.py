"""The database: sessions, transactions, the write lock, upgrades, files; other packages define the tables."""
