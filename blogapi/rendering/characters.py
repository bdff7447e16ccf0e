"""The characters that no text of the blog contains."""

from __future__ import annotations

import re

#: Matches lone surrogates, and control characters other than tab, line feed and carriage return.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
