"""Ways to read content besides its own API; no module here writes content or decides who may see it."""
