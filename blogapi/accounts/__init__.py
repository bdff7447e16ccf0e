"""Who may sign in and call the API: users, their API keys, and the mail that goes to users.

What a caller may do with an item is decided in `content`; how a request names its caller, in `web`.
"""
