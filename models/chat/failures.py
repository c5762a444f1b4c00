"""What a call that brought no reply means for the next one, and for what may still be spent."""

from models.chat.ledger import CallRecord

_SAID_TO_ALL = ("HTTP 5", "HTTP 401", "HTTP 402", "HTTP 403", "HTTP 429")
"""Refusals that are about the server, the key or the account, and not about what is asked."""


def call_may_be_repeated(call: CallRecord) -> bool:
    """Say whether the same call could go better a moment later; a time-out would only multiply the wait."""
    if call.status == "http_error":
        return (call.error or "").startswith(("HTTP 5", "HTTP 408", "HTTP 409"))
    return call.status != "timeout"


def call_says_nothing(call: CallRecord) -> bool:
    """Say whether a call failed for the server's reasons and not the request's, so that the next one may as well."""
    if call.status == "http_error":
        return (call.error or "").startswith(_SAID_TO_ALL)
    return call.status in ("timeout", "connection", "rate_limited", "junk")


def call_was_turned_away(call: CallRecord) -> bool:
    """Say whether a call never reached the model: nobody listened, or the server refused it at the door.

    A server's own error (HTTP 5xx) is a call without tokens, and where a connection broke afterwards nobody knows.
    """
    if call.status == "http_error":
        return not (call.error or "").startswith("HTTP 5")
    if call.status == "connection":
        return (call.error or "").startswith("ConnectError")
    return call.status in ("rate_limited", "too_long")
