"""What form of a request a server takes, learnt from its refusals and remembered while the process lives."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

Form = Literal["json_schema", "json_object", "plain"]
_NEXT_FORM: dict[Form, Form] = {"json_schema": "json_object", "json_object": "plain"}
_KNOWN: dict[tuple[str, str], "Dialect"] = {}
_DOUBTS: dict[tuple[str, str], set[str]] = {}
"""Requests that a server took in a weaker form after it had refused the stronger one for a reason it did not name."""
_FORM = re.compile(
    r"grammar|response_format|json_schema|json_object|structured|requested parameters", re.IGNORECASE
)
_DOUBTS_THAT_COUNT = 2


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to say it: the response format, the name of the token limit, and which sampling may be set."""

    form: Form = "json_schema"
    token_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    sends_sampling: bool = True
    sends_top_k: bool = True

    def payload(
        self,
        schema_name: str | None,
        schema: dict[str, Any] | None,
        max_tokens: int,
        sampling: dict[str, Any],
    ) -> dict[str, Any]:
        """Build the part of a request body that depends on the dialect."""
        body: dict[str, Any] = {self.token_limit: max_tokens}
        if self.sends_sampling:
            body.update({n: v for n, v in sampling.items() if n != "top_k" or self.sends_top_k})
        if schema is not None and self.form == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": schema_name or "reply", "schema": schema, "strict": True},
            }
        elif schema is not None and self.form == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def after_refusal(self, status: int, error: str, *, has_schema: bool) -> "Dialect | None":
        """Say what to try next when the server refused the request as malformed, None if nothing is left.

        Args:
            status: the HTTP status.
            error: the server's own words, without what it repeats of the request or of a reply.
            has_schema: whether the request has one that could be sent in a weaker form.
        """
        names_the_form = names_form(error)
        if status not in (400, 404, 415, 422, 501) and not (status == 500 and names_the_form):
            return None
        if self.token_limit == "max_tokens" and "max_completion_tokens" in error:
            return replace(self, token_limit="max_completion_tokens")
        if self.sends_top_k and "top_k" in error:
            return replace(self, sends_top_k=False)
        if self.sends_sampling and re.search(r"\b(temperature|seed|top_p)\b", error):
            return replace(self, sends_sampling=False)
        if has_schema and (status != 404 or names_the_form) and self.form in _NEXT_FORM:
            return replace(self, form=_NEXT_FORM[self.form])
        return None


def names_form(error: str) -> bool:
    """Say whether a server's words are about the form of the reply that was asked for."""
    return bool(_FORM.search(error))


def known_dialect(base_url: str, model: str) -> Dialect:
    """Return what this server was last seen to take."""
    return _KNOWN.get((base_url, model), Dialect())


def remember_dialect(base_url: str, model: str, dialect: Dialect, doubted: str | None = None) -> None:
    """Keep a dialect in which the server answered.

    One odd refusal takes no form away: where the server did not say that it was about the form, `doubted` names the
    request, and the weaker form is kept once that was so of two of them.
    """
    if doubted is not None:
        doubts = _DOUBTS.setdefault((base_url, model), set())
        doubts.add(doubted)
        if len(doubts) < _DOUBTS_THAT_COUNT:
            return
    _KNOWN[base_url, model] = dialect
