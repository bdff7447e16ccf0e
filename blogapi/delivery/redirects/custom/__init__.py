"""Custom redirects, which admins create: from a path to another path or an address, or to the answer 410."""
