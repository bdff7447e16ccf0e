"""Redirects that an admin sets: from a path to another path or an address, or to nothing (410 Gone)."""
