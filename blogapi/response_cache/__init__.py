"""Responses kept in memory and cacheable while nothing they show has changed."""
