"""The check of the address of the site: whether it answers, and whether its feed names this blog."""
