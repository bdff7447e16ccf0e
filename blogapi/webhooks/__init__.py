"""Calls to other services when readers can see a change: webhooks and build hooks."""
