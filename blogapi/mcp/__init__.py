"""The Model Context Protocol: assistants call operations of the API as tools.

It has no rules, queries or permissions: a call of a tool is a request to the API with the caller's key.
"""
