"""The feed of changes, from which a front end learns which items to fetch again and which to drop."""
