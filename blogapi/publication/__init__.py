"""Who may see which item since when, and one event for every public change; it knows no resource."""
