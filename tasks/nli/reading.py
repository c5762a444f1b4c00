"""Readers of a run's pairs: local model, or language model behind an API.

Every reader takes rows with `item_key`, `premise_key`, `hypothesis_key`, `premise` and `hypothesis`, and yields
them in batches with what came of each, so that a batch is on disk before the next is read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from medassay.models.chat.asking import ask_all
from medassay.models.chat.conversation import Outcome, Request
from medassay.models.keys import content_key, text_key
from medassay.models.nli.chat import LONGEST_PREMISE_CHARACTERS, CitationCheck
from medassay.models.nli.choosing import ENCODER, READS_LETTERS, address_of, is_continued, reads_letters
from medassay.models.nli.logprobs import LetterCheck
from medassay.models.records import PairVerdict, Span
from medassay.models.weights import another_revision
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.model_cache import loaded
from medassay.tasks.nli.verdicts import (
    SETTLED_BY_ENCODER,
    Lost,
    PairReader,
    Readings,
    is_asked_by_address,
    score_row,
)
from medassay.tasks.phi import guarded_requests
from medassay.tasks.progress import watcher
from medassay.tasks.spending.caps import cap_for, note_cap
from medassay.tasks.spending.ledger import ledger_for
from medassay.tasks.stages.stage import Step

if TYPE_CHECKING:
    from medassay.models.nli.cascade import Cascade
    from medassay.models.nli.labels import EntailmentModel

ASKED_AT_ONCE = 64


def checked_by_chat(step: Step, rows: Sequence[Row]) -> Readings:
    """Ask the model that `--entailment` names about every pair, a batch at a time."""
    endpoint = address_of(step.settings.reader)
    assert endpoint is not None
    ledger = ledger_for(step)
    cap = cap_for(step.run, endpoint)
    for start in range(0, len(rows), ASKED_AT_ONCE):
        batch = rows[start : start + ASKED_AT_ONCE]
        requests = guarded_requests(step, endpoint, requests_of(step.settings.reader, batch))
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


def reader_for(step: Step) -> PairReader:
    """Choose who reads this run's pairs; nothing is loaded before the first pair is asked for."""
    if is_asked_by_address(step.settings):
        return lambda rows: checked_by_chat(step, rows)
    read_here = _read_here(step)
    return lambda rows: mark_missing_numbers_lost(read_here(rows))


def mark_missing_numbers_lost(readings: Readings) -> Readings:
    """Call a pair lost for which the model gave no number: that says something of the machine, not of the pair.

    A claim that is too long stays so; what overflowed here once may not on another device, or in another batch.
    """
    from medassay.models.nli.window_verdicts import NO_NUMBER

    for batch in readings:
        yield [
            (row, Lost(NO_NUMBER))
            if isinstance(verdict, PairVerdict) and verdict.entailment is None and verdict.reason == NO_NUMBER
            else (row, verdict)
            for row, verdict in batch
        ]


def _read_here(step: Step) -> PairReader:
    from medassay.models.nli import load_entailment
    from medassay.models.nli.cascade import Cascade

    asked = step.settings.reader
    # Away from this machine texts are read as GPUs read them, whatever the worker has.
    dtype = None if step.settings.on == "here" else "bfloat16"
    model = loaded("entailment", asked, lambda: load_entailment(asked, warn=watcher().say, dtype=dtype))
    if line := another_revision(asked, str(model.fingerprint.get("weights_sha256"))):
        watcher().say(line)
    if step.stage not in SETTLED_BY_ENCODER and isinstance(model, Cascade):
        model = model.reader  # what is read further is about the claim: there is nothing to settle
    answered = asked if asked in READS_LETTERS else str(model.fingerprint["name"])
    if step.stage == "entail":
        _pin(step, model, answered)
    else:
        (named,) = step.warehouse.rows("select spec from fingerprint where fingerprint = pinned('entail')")
        if (counted := json.loads(named["spec"])["model"]) != answered:
            # Its verdicts would stand under the other's name.
            reason = f"{counted}, whose verdicts this run has, cannot be loaded, and {answered} may not answer for it"
            return lambda rows: iter([[(row, Lost(reason)) for row in rows]])

    if isinstance(model, Cascade):
        return partial(read_by_cascade, step, model)
    return lambda rows: (
        list(zip(batch, model.score(_texts_of(batch), None), strict=True))
        for batch in _in_batches(rows, model.pairs_at_once)
    )


def read_by_cascade(step: Step, model: "Cascade", rows: Sequence[Row]) -> Readings:
    """Have the encoder read all, then the language model what it is not sure of and what may still change a state."""
    from medassay.models.nli.cascade import settles

    unsure: list[Row] = []
    for batch in _in_batches(rows, model.pairs_at_once):
        known = _encoders(step.warehouse, batch)
        if unread := [row for row in batch if (row["premise"], row["hypothesis"]) not in known]:
            found = dict(zip(_texts_of(unread), model.encoder.score(_texts_of(unread)), strict=True))
            _keep_encoders(step.warehouse, unread, found)
            known |= found
        sure = [row for row in batch if settles(known[row["premise"], row["hypothesis"]])]
        unsure += [row for row in batch if not settles(known[row["premise"], row["hypothesis"]])]
        yield list(zip(sure, model.score(_texts_of(sure), known=known), strict=True))
    if step.stage == "entail":
        asked = {row["item_key"] for row in step.warehouse.rows("select item_key from entail_pending")}
        step.advance(sum(row["item_key"] not in asked for row in unsure))
        unsure = [row for row in unsure if row["item_key"] in asked]
    for batch in _in_batches(unsure, model.pairs_at_once):
        known = _encoders(step.warehouse, batch)
        yield list(zip(batch, model.score(_texts_of(batch), known=known), strict=True))


def _in_batches(rows: Sequence[Row], size: int) -> Iterator[Sequence[Row]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _texts_of(rows: Sequence[Row]) -> list[tuple[str, str]]:
    return [(row["premise"], row["hypothesis"]) for row in rows]


def _encoders_fingerprint() -> tuple[str, dict[str, Any]]:
    """Return the fingerprint under which the encoder's own verdicts stand, and what it is of."""
    from medassay.models.nli import describe_entailment

    described = describe_entailment(ENCODER)
    return content_key({"stage": "entail", **described}), described


def _keep_encoders(
    warehouse: Warehouse, rows: Sequence[Row], found: Mapping[tuple[str, str], PairVerdict]
) -> None:
    """Keep the encoder's verdicts as its own, as a first pass does."""
    fingerprint, described = _encoders_fingerprint()
    scored = [
        score_row(row, verdict, fingerprint)
        for row in rows
        if (verdict := found[row["premise"], row["hypothesis"]]).entailment is not None
    ]
    with warehouse.transaction():
        warehouse.insert(
            "fingerprint", [{"fingerprint": fingerprint, "stage": "entail", "spec": json.dumps(described)}]
        )
        warehouse.insert("pair_score", scored)


def _encoders(warehouse: Warehouse, rows: Sequence[Row]) -> dict[tuple[str, str], PairVerdict]:
    """Return the verdicts that the encoder gave by itself on these rows' pairs, as a first pass does."""
    fingerprint, _ = _encoders_fingerprint()
    pairs = {row["premise_key"] + row["hypothesis_key"]: (row["premise"], row["hypothesis"]) for row in rows}
    return {
        pairs[key]: verdict
        for key, verdict in _known(warehouse, fingerprint, rows)
        if key in pairs and isinstance(verdict, PairVerdict)
    }


def _pin(step: Step, model: "EntailmentModel", answered: str) -> None:
    """Have verdicts stand under who gives them: a model in place of the one asked for, or one fetched only now."""
    asked = step.settings.reader
    if asked.startswith("hf:") and answered != asked[3:]:
        step.pin_actual_model({**model.fingerprint, "model": answered, "asked": asked})
        return
    from medassay.models.nli import describe_entailment

    here = describe_entailment(asked)
    if step.fingerprint != content_key({"stage": step.stage, **here}):
        step.pin_actual_model(here)


def verdicts_on(
    step: Step, reader: list[PairReader], fingerprint: str, pairs: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], PairVerdict | Lost]:
    """Look up the verdicts on (premise, hypothesis) pairs, read those that have none, and keep them with all others.

    `reader` is empty until a pair has to be read, and holds the loaded reader from then on.
    """
    rows = {(text_key(premise), text_key(hypothesis)): (premise, hypothesis) for premise, hypothesis in pairs}
    wanted = [
        {
            "item_key": premise_key + hypothesis_key,
            "premise_key": premise_key,
            "hypothesis_key": hypothesis_key,
            "premise": premise,
            "hypothesis": hypothesis,
        }
        for (premise_key, hypothesis_key), (premise, hypothesis) in rows.items()
    ]
    found = dict(_known(step.warehouse, fingerprint, wanted))
    # A verdict may have come by a shard of a run that was killed, which brings no texts.
    step.warehouse.insert("text", _texts(row for row in wanted if row["item_key"] in found))
    pending = [row for row in wanted if row["item_key"] not in found]
    if pending:
        if not reader:
            reader.append(reader_for(step))
        for batch in reader[0](pending):
            found.update((row["item_key"], verdict) for row, verdict in batch)
            scored = [(row, v) for row, v in batch if isinstance(v, PairVerdict) and v.entailment is not None]
            with step.warehouse.transaction():
                step.warehouse.insert("text", _texts(row for row, _ in scored))
                step.warehouse.insert("pair_score", [score_row(row, v, fingerprint) for row, v in scored])
    return {
        (row["premise"], row["hypothesis"]): found[row["item_key"]]
        for row in wanted
        if row["item_key"] in found
    }


def _known(
    warehouse: Warehouse, fingerprint: str, wanted: Sequence[Row]
) -> Iterator[tuple[str, PairVerdict | Lost]]:
    """Yield the verdicts that are there already, by the pair's key."""
    for row in warehouse.rows(
        "select premise_key || hypothesis_key as item_key, * from pair_score"
        " where fingerprint = ? and premise_key in (select unnest(?)) and hypothesis_key in (select unnest(?))",
        [fingerprint, [r["premise_key"] for r in wanted], [r["hypothesis_key"] for r in wanted]],
    ):
        start, end = row["sentence_start"], row["sentence_end"]
        yield (
            row["item_key"],
            PairVerdict(
                row["entailment"],
                row["neutral"],
                row["contradiction"],
                n_windows=row["n_windows"],
                sentence=None if start is None else Span(start, end),
                coverage=row["coverage"],
                remark=row["remark"],
                reader=row["reader"],
            ),
        )


def _texts(rows: Iterable[Row]) -> list[Row]:
    texts = (row[name] for row in rows for name in ("premise", "hypothesis"))
    return [{"text_key": text_key(text), "text": text} for text in texts]
