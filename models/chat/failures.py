"""What a call that brought no reply means for the next one, and for what may still be spent."""

from medassay.models.chat.ledger import CallRecord

_FORBIDDEN = ("HTTP 401", "HTTP 402", "HTTP 403", "HTTP 429")
"""A wrong key, or an account without means: 429 is among them where it is said of the quota and not of the rate."""
_SAID_TO_ALL = ("HTTP 5", *_FORBIDDEN)
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


def call_is_forbidden(call: CallRecord) -> bool:
    """Say whether the server lets nobody in with this key or on this account."""
    return call.status == "http_error" and (call.error or "").startswith(_FORBIDDEN)


def call_was_turned_away(call: CallRecord) -> bool:
    """Say whether a call never reached the model: nobody listened, or the server refused it at the door.

    A server's own error (HTTP 5xx) is a call without tokens, and where a connection broke afterwards nobody knows.
    """
    if call.status == "http_error":
        return not (call.error or "").startswith("HTTP 5")
    if call.status == "connection":
        return (call.error or "").startswith("ConnectError")
    return call.status in ("rate_limited", "too_long")


def reason_of(call: CallRecord) -> str:
    """Say in words why a call brought nothing that could be used, with what the server said."""
    words = {
        "ok": "the reply could not be used",
        "bad_json": "the reply could not be used",
        "refusal": "the model refused to answer",
        "length": "the reply was cut off at its token limit",
        "content_filter": "the server's content filter stopped the reply",
        "empty": "the server sent no reply",
        "junk": "the server's response is not a chat completion",
        "timeout": "the server did not answer in time",
        "connection": "the connection failed",
        "rate_limited": "the server kept limiting the rate",
        "too_long": "the prompt is longer than the model's context",
        "http_error": "the server refused the request",
    }[call.status]
    if call.status == "http_error" and (call.error or "").startswith("HTTP 5"):
        words = "the server failed"
    return f"{words} ({call.error})" if call.error else words
