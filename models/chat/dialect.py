"""Request features by server: fewer after each refusal, remembered for the process.

A proxy's odd error would take the schema from every request: a weaker form is kept for others only where the error
named the form.
"""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

Form = Literal["json_schema", "json_object", "plain"]
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "plain")
"""From the strongest to the weakest."""
_IS_ABOUT_THE_FORM = re.compile(r"grammar|response_format|json_schema|requested parameters")
_NAMES_THE_FORM = re.compile(
    r"response.?format|json.?(?:schema|object|mode)|structured|schema|grammar|guided", re.IGNORECASE
)


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
        """Describe what to try next when the server refused the request as malformed, None if nothing is left.

        Args:
            status: the HTTP status.
            error: the server's own words, without what it repeats of the request or of a reply.
            has_schema: whether the request has one that could be sent in a weaker form.
        """
        about_the_form = bool(_IS_ABOUT_THE_FORM.search(error))
        if status not in (400, 404, 415, 422, 501) and not (status == 500 and about_the_form):
            return None
        if self.token_limit == "max_tokens" and "max_completion_tokens" in error:
            return replace(self, token_limit="max_completion_tokens")
        if self.sends_top_k and "top_k" in error:
            return replace(self, sends_top_k=False)
        if self.sends_sampling and re.search(r"\b(temperature|seed|top_p)\b", error):
            return replace(self, sends_sampling=False)
        if has_schema and (status != 404 or about_the_form) and self.form != "plain":
            return replace(self, form=FORMS[FORMS.index(self.form) + 1])
        return None

    def and_no_more_than(self, other: "Dialect") -> "Dialect":
        """Return what both dialects have."""
        return Dialect(
            max(self.form, other.form, key=FORMS.index),
            max(self.token_limit, other.token_limit, key=("max_tokens", "max_completion_tokens").index),
            self.sends_sampling and other.sends_sampling,
            self.sends_top_k and other.sends_top_k,
        )


def names_the_form(error: str) -> bool:
    """Return whether an error speaks of the form of a request, so that any other one would be refused for it, too."""
    return bool(_NAMES_THE_FORM.search(error) or _IS_ABOUT_THE_FORM.search(error))


_KNOWN: dict[tuple[str, str], Dialect] = {}
"""What servers were seen to take, by base URL and model."""


class Wording:
    """How one request, and what is asked again of it, is put to one server."""

    def __init__(self, place: tuple[str, str], *, has_schema: bool) -> None:
        self._place, self._has_schema = place, has_schema
        self._own, self._is_sure = Dialect(), True

    @property
    def dialect(self) -> Dialect:
        """What to send now."""
        return _KNOWN.get(self._place, Dialect()).and_no_more_than(self._own)

    def weakened(self, used: Dialect, status: int, error: str) -> bool:
        """Note that the server refused a dialect as malformed, and say whether a weaker one is left to try."""
        lower = used.after_refusal(status, error, has_schema=self._has_schema)
        if lower is None:
            return False
        self._is_sure = self._is_sure and (lower.form == used.form or names_the_form(error))
        self._own = lower
        return True

    def taken(self, used: Dialect) -> None:
        """Note that the server answered, and keep what is sure of what it does not take."""
        known = _KNOWN.get(self._place, Dialect())
        learnt = used if self._is_sure else replace(used, form=known.form)
        _KNOWN[self._place] = known.and_no_more_than(learnt)
