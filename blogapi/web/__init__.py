"""HTTP for all resources: access rules, bodies, errors, headers and limits; no rules of single resources."""
