"""The Model Context Protocol: assistants call operations of the API as tools.

This package has no rules, queries or permissions, because a call of a tool is a request to the API with the
key of the caller.
"""
