"""Accounts, their passwords and their web sessions."""
