"""What a blog consists of, and how it is written and found: articles, pages, terms, media, fields, versions.

What shows this content to readers in another form than the API's own belongs to `delivery`.
"""
