"""Categories; every article belongs to exactly one."""
