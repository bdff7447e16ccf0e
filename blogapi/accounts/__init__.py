"""Users, their API keys, and their mail; what a user may do with an item is decided in `content`."""
