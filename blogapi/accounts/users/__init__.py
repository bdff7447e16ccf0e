"""User accounts, with their passwords, second factors, login sessions and one-time links."""
