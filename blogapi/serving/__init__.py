"""The HTTP server: a subclass of the waitress server that limits time, connections and memory."""
