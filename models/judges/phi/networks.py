"""Addresses of machines and pages of persons: IP and MAC addresses, profiles in social networks."""

import ipaddress
import re

from medassay.models.judges.phi.grammar import Rule

_VERSION = re.compile(
    r"(?:version|build|release|firmware|section|chapter|software|\bEC|\bv)\.?:? ?$", re.IGNORECASE
)


def _of_a_machine(match: re.Match[str]) -> tuple[int, int] | None:
    """Take what is an IP address, and no version of a program."""
    try:
        ipaddress.ip_address(match.group())
    except ValueError:
        return None
    before = match.string[max(0, match.start() - 12) : match.start()]
    return None if _VERSION.search(before) else match.span()


PROFILE = re.compile(
    r"(?:facebook|instagram|linkedin|twitter|tiktok|threads)\.com/(?:in/|@)?(?P<found>[\w.-]{3,})|(?<!\w)x\.com/(?P<x>\w{3,})",
    re.IGNORECASE,
)
"""The page of a person at a social network, whose last part is mostly the name."""

NETWORKS = (
    Rule("network address", r"(?<![\w:.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w:-]|\.\d)", _of_a_machine),
    Rule(
        "network address",
        r"(?<![\w:.])(?=[\dA-Fa-f:]*:[\dA-Fa-f:]*:)[\dA-Fa-f:]{4,39}(?![\w:])",
        _of_a_machine,
    ),
    Rule(
        "network address",
        r"(?<![\w:-])[\dA-Fa-f]{2}(?:(?P<sign>[:-])[\dA-Fa-f]{2})(?:(?P=sign)[\dA-Fa-f]{2}){4}(?![\w:-])",
    ),
)
