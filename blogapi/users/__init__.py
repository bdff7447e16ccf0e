"""User accounts, their passwords and their login sessions."""
