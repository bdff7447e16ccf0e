"""The hosts of embedded players."""

from __future__ import annotations

# Hosts whose players may be embedded in an iframe.
EMBED_HOSTS = frozenset(
    {
        "youtube.com",
        "www.youtube.com",
        "www.youtube-nocookie.com",
        "player.vimeo.com",
        "open.spotify.com",
        "w.soundcloud.com",
    }
)
