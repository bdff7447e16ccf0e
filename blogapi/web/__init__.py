"""HTTP for all resources: access rules, bodies, errors, headers, limits; no resource has its rules here."""
