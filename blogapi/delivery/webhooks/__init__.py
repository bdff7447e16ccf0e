"""Webhooks and build hooks, which report changes of public content to other services."""
