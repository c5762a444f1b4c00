"""Pictures beside words: `💊 Doses`, `1️⃣ Rest`, `**Side effects** ⚠️`."""

import re

PICTURE = (
    r"(?:[\U0001f000-\U0001faff\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b00-\u2bff]|\d\ufe0f?\u20e3)"
    r"[\ufe0f\u200d\U0001f3fb-\U0001f3ff]*"
)
"""The pattern of one, with what colours or joins it."""
PICTURES_BEHIND = re.compile(rf"(?:\s|{PICTURE})+\Z")
