"""The document of the API, built from the routes and their schemas."""
