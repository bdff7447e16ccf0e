"""A small sample blog for a first look at the API."""
