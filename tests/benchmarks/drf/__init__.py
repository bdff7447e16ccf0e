"""The same blog as a Django REST framework service, written as the manual of the framework advises.

It runs in its own environment, without blogapi: `python -m tests.benchmarks.drf.serve FILE DATABASE PORT
THREADS`.
"""
