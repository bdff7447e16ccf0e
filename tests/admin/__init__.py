"""Tests of the admin pages. As they are a package, they can share a browser: see conftest.py."""
