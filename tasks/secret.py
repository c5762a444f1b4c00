"""The home's secret: what makes the fences around other people's texts unguessable."""

import os
import secrets
from pathlib import Path


def home_secret(home: Path) -> bytes:
    """Return the home's secret, made when first asked for."""
    path = home / "secret"
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        os.replace(draft, path)
    return path.read_bytes()
