"""The feed of changes, which tells a front end what to fetch again and what to drop."""
