"""The Model Context Protocol: assistants call operations of the API as tools.

It owns no rule, no query and no permission: a call of a tool is a request to the API with the caller's key.
"""
