"""What a response with articles contains: the stored JSON and the fields that each read computes."""
