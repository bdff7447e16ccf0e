"""Which articles a list has, in which order, and how many there are."""
