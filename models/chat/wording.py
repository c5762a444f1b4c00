"""How one request is worded: in the dialect its server was last seen to take, weaker after each refusal.

What a refusal teaches is kept for other requests only where it is sure, while the process lives: a proxy's odd error
would take the schema from all of them.
"""

from dataclasses import dataclass, field

from medassay.models.chat.dialect import FORMS, Dialect, Form, names_the_form, next_form

Place = tuple[str, str]
ENOUGH_REFUSALS = 2
"""So many requests must have gone well in a weaker form only, before a form that no error names is given up."""


@dataclass(slots=True)
class Understanding:
    """What one server was seen to take: base URL and model."""

    dialect: Dialect = field(default_factory=Dialect)
    doubted: dict[Form, set[str]] = field(default_factory=dict)
    """By form, the requests that it was refused for without a reason, and that went well in a weaker one."""
    settled: set[bool] = field(default_factory=set)
    """Whether requests with a schema (True) and without one (False) were answered in the dialect."""


_KNOWN: dict[Place, Understanding] = {}


class Wording:
    """How one request, and what is asked again of it, is put to one server."""

    def __init__(self, place: Place, key: str, *, has_schema: bool) -> None:
        """Begin with what is known of a server.

        Args:
            place: its base URL and the model.
            key: the request.
            has_schema: whether it has one that could be sent in a weaker form.
        """
        self._seen = _KNOWN.setdefault(place, Understanding())
        self._key, self._has_schema = key, has_schema
        self._own = Dialect()
        self._refused: dict[Form, bool] = {}
        self.was_taken = False

    @property
    def dialect(self) -> Dialect:
        """What to send now."""
        return self._seen.dialect.and_no_more_than(self._own)

    @property
    def is_settled(self) -> bool:
        """Say whether requests like this one were answered in the dialect that is known."""
        return self._has_schema in self._seen.settled

    def weakened(self, used: Dialect, status: int, error: str) -> bool:
        """Note that the server refused a dialect as malformed, and say whether a weaker one is left to try."""
        lower = used.after_refusal(status, error, has_schema=self._has_schema)
        if lower is None:
            return False
        if lower.form != used.form:
            self._refused[used.form] = names_the_form(error)
        self._own = lower
        return True

    def taken(self, used: Dialect) -> None:
        """Note that the server answered, and keep what is sure by now of what it does not take."""
        seen, self.was_taken = self._seen, True
        seen.doubted.pop(used.form, None)
        for form, is_named in self._refused.items():
            if not is_named:
                seen.doubted.setdefault(form, set()).add(self._key)
        form = seen.dialect.form
        while FORMS.index(form) < FORMS.index(used.form) and self._is_given_up(form):
            form = next_form(form)
        learnt = Dialect(form, used.token_limit, used.sends_sampling, used.sends_top_k)
        seen.dialect = seen.dialect.and_no_more_than(learnt)
        if not self._has_schema or seen.dialect.form == used.form:
            seen.settled.add(self._has_schema)

    def _is_given_up(self, form: Form) -> bool:
        return self._refused.get(form, False) or len(self._seen.doubted.get(form, ())) >= ENOUGH_REFUSALS
