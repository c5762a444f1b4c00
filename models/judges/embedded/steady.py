"""Asking a server of one slot so that every question begins from the same state.

A quantised model's arithmetic depends on what the server still holds. So all that is asked of a statement is begun from
the same state, by a call of its own where what was asked before begins like it, and what was cut short is led there
again: the same answer gets the same marks in every run. What is spelled stands behind its question alone, which the
server reads anew for each answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from medassay.models.chat.asking import ask_all
from medassay.models.chat.cap import Cap
from medassay.models.chat.conversation import Message, Outcome, Request
from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.ledger import Ledger, MemoryLedger
from medassay.models.judges.embedded.yes_no import opening
from medassay.models.judges.statements.views import asked_together

BEGINNING = "Hello."
"""Begins like nothing that is asked."""


@dataclass(slots=True)
class SteadyServer:
    """The server while one batch is judged; what the ledger knows is not asked again, save to get back to its state."""

    endpoint: Endpoint
    ledger: Ledger
    deadline_s: float
    cap: Cap | None = None
    _read_last: str = field(default="", repr=False)

    def ask(self, asked: Sequence[Request[float]]) -> list[Outcome[float]]:
        """Ask yes or no what the ledger does not know, from the state of a run that asks everything.

        A text that begins unlike the one before comes next where there is one: it needs no opening of its own.
        """
        outcomes = []
        views = [list(view) for _, view in groupby(asked, lambda one: asked_together(view_of(one)))]
        while views:
            posed = next((one for one in views if begin_apart(self._read_last, _text_of(one))), views[0])
            views.remove(posed)
            known = [request for request in posed if self._is_known(request)]
            if len(known) < len(posed):
                begun = replace(
                    posed[0], item_key="opening", messages=(*opening(), Message("user", BEGINNING))
                )
                self._read([*([] if begin_apart(self._read_last, _text_of(posed)) else [begun]), *known])
                self._read_last = _text_of(posed)
            outcomes += self._put(posed)
            if not are_answered(outcomes):
                self._read_last = ""
        return outcomes

    def spell(self, asked: Sequence[Request[float]]) -> list[Outcome[float]]:
        """Have statements spelled that stand behind one question."""
        unknown = [request for request in asked if not self._is_known(request)]
        if unknown:
            self._read_last = ""
            behind = replace(unknown[0], spelled=None, max_tokens=1, top_logprobs=1, read=_unread)
            afresh = replace(behind, messages=(Message("system", BEGINNING), Message("user", BEGINNING)))
            self._read([afresh, behind])
        return self._put(asked)

    def _is_known(self, request: Request[float]) -> bool:
        return self.ledger.find(request.request_key(self.endpoint), request.sample_no).answer is not None

    def _read(self, asked: Sequence[Request[float]]) -> None:
        """Ask for the sake of what the server holds afterwards; nothing of it is kept, and none is asked in vain."""
        if self.cap is not None and self.cap.turned_away:
            return
        ask_all(list(asked), self.endpoint, MemoryLedger(), concurrency=1, deadline_s=self.deadline_s)

    def _put(self, asked: Sequence[Request[float]]) -> list[Outcome[float]]:
        return ask_all(
            list(asked), self.endpoint, self.ledger, concurrency=1, deadline_s=self.deadline_s, cap=self.cap
        )


def are_answered(outcomes: Sequence[Outcome[float]]) -> bool:
    """Say whether all that was asked has a reply that was read."""
    return all(outcome.status == "answered" for outcome in outcomes)


def begin_apart(last: str, text: str) -> bool:
    """Say whether a server that read `last` holds of `text` no more than what every text begins with.

    Words of other first letters are other tokens; a digit follows a space that has a token of its own.
    """
    first, other = last[:1], text[:1]
    return first != other and all(letter.isascii() and letter.isalpha() for letter in (first, other))


def view_of(asked: Request[float] | Outcome[float]) -> str:
    """Name the view that a question, or its outcome, is about."""
    return asked.item_key.rsplit("/", 1)[1]


def _text_of(posed: Sequence[Request[float]]) -> str:
    """Return what the questions of a view begin with."""
    return posed[0].messages[-1].content


def _unread(_: str) -> float:
    return 0.0
