"""The bullets in front of entries."""

import re

from medassay.models.text.labels.files import FILE_NAME

_BULLET = re.compile(r"(?:[-*+•‣◦·▪–—]|\\item)[ \t]+(?!\*)|\\item\b|\*[ \t]+(?=\*\*?\S)")
_BULLET_OF_A_FILE = re.compile(rf"[-*+•][ \t]+(?=\*\*{FILE_NAME}\*\*)", re.IGNORECASE)


def without_bullet(raw: str) -> str:
    """Cut the bullet; one before bold type opens a field of the entry above, unless that is a file's name."""
    bullet = _BULLET.match(raw) or _BULLET_OF_A_FILE.match(raw)
    return raw[bullet.end() :] if bullet else raw
