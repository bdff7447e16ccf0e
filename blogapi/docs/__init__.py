"""The OpenAPI document, the API reference, and the guide; the document is derived from views and schemas."""
