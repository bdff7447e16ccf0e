"""How content reaches readers besides its own API; nothing here writes content or decides who sees it."""
