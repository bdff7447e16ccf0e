"""Upgrades of the blog to this version of blogapi, and the way back."""
