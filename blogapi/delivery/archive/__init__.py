"""The numbers of public articles by month."""
