"""Custom redirects, which admins set: from a path to a path or an address, or to nothing (410 Gone)."""
