"""Pairs → verdicts by a language model, every call in the ledger, under the run's cap and guard."""

from collections.abc import Sequence
from functools import partial

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.entailment.chat import LONGEST_PREMISE_CHARACTERS, CitationCheck
from medassay.models.readers.choosing import address_of, is_continued, reads_letters
from medassay.models.readers.served import LetterCheck
from medassay.models.records import PairVerdict
from medassay.sql.warehouse import Row
from medassay.tasks.citations.verdicts import Lost, Readings
from medassay.tasks.phi import guarded_requests
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.stage import Step

ASKED_AT_ONCE = 64


def checked_by_chat(step: Step, rows: Sequence[Row]) -> Readings:
    """Ask the model that `--entailment` names about every pair, a batch at a time."""
    endpoint = address_of(step.settings.entailment)
    assert endpoint is not None
    ledger = ledger_for(step)
    cap = cap_for(step.run, endpoint)
    for start in range(0, len(rows), ASKED_AT_ONCE):
        batch = rows[start : start + ASKED_AT_ONCE]
        requests = guarded_requests(step, endpoint, requests_of(step.settings.entailment, batch))
        outcomes = {outcome.item_key: outcome for outcome in ask_all(requests, endpoint, ledger, cap=cap)}
        note_cap(step, cap)
        yield [(row, _verdict(outcomes.get(row["item_key"]))) for row in batch]


def requests_of(reader: str, rows: Sequence[Row]) -> list[Request[PairVerdict]]:
    """Put pairs into the form in which a reader is asked about them; a passage that is too long is not sent."""
    letters = partial(LetterCheck, continued=is_continued(reader))
    check = letters if reads_letters(reader) else CitationCheck
    return [
        check(row["premise"], row["hypothesis"]).request(row["item_key"])
        for row in rows
        if len(row["premise"]) <= LONGEST_PREMISE_CHARACTERS
    ]


def _verdict(outcome: Outcome[PairVerdict] | None) -> PairVerdict | Lost:
    if outcome is None:
        why = f"the passage is longer than the {LONGEST_PREMISE_CHARACTERS} characters that are sent"
        return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=why)
    if outcome.value is not None:
        return outcome.value
    reason = outcome.reason or "the model gave no reason"
    if outcome.status == "failed":
        return Lost(reason)
    return PairVerdict(None, None, None, n_windows=0, coverage=0.0, reason=reason)
