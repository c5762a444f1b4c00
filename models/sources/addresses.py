"""Addresses and names from the environment, refused where no request could be sent with them."""

import re
import urllib.parse

from medassay.models.settings import UsageError


def refuse_address(name: str, url: str) -> None:
    """Refuse what is no address, and one that holds a user name or password, which would be stored with the run.

    Raises:
        UsageError: naming the setting, but no password.
    """
    if "@" in url:
        raise UsageError(f"{name} holds a user name or password: give the address without them")
    try:
        parts = urllib.parse.urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or re.search(r"[\s?#]|[^ -~]", url):
        raise UsageError(
            f"{name} is {url!r}: give an address that begins with https:// or http://, such as https://host/path"
        )


def refuse_name(name: str, value: str) -> None:
    """Refuse a name that no header of a request can hold; what it is, is not said: it may be a key.

    Raises:
        UsageError: naming the setting.
    """
    if not value.isprintable() or max(value, default="") > "ÿ":
        raise UsageError(f"{name} holds a character that cannot be sent: write it with letters of Latin-1")
