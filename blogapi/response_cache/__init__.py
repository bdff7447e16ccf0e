"""Responses kept in memory and replayed while nothing they show has changed."""
