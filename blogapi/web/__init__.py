"""HTTP for all resources: access rules, request and response bodies, errors, headers."""
