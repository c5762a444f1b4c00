"""Stage `match`: states of nuggets and claims from verdicts."""

from dataclasses import asdict
from typing import Any

from medassay.models.attribution import WEIGHTS
from medassay.models.keys import content_key
from medassay.models.nuggets.evidence import Entailment, MatchResult
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, statement
from medassay.tasks.nli.reading import verdicts_on
from medassay.tasks.nli.verdicts import PairReader
from medassay.tasks.nuggets.boards import Board, boards, match_settings
from medassay.tasks.stages import entail, shortlist
from medassay.tasks.stages.stage import Stage, Step, reads_here

STAGE_VERSION = 12
BATCH = 500


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: the matcher and its cut-offs, the pairs, and who reads them."""
    return {
        **asdict(match_settings(settings)),
        "stage_version": STAGE_VERSION,
        "pairs": content_key(shortlist.spec(settings)),
        # As `pin_actual_reader` names it, so that only another model than the one asked for moves the pin.
        "entailment": content_key({"stage": "entail", **entail.spec(settings)}),
    }


def work(step: Step) -> None:
    """Decide the states of nuggets and claims."""
    from medassay.models.nuggets import matching

    chosen = match_settings(step.settings)
    answering = entail.pin_actual_reader(step, spec(step.settings))
    reader: list[PairReader] = []

    def read(pairs: list[tuple[str, str]]) -> Entailment:
        found = verdicts_on(step, reader, answering["fingerprint"], pairs)
        return {pair: verdict for pair, verdict in found.items() if isinstance(verdict, PairVerdict)}

    for batch in step.batches(BATCH):
        verdicts = verdicts_for(step, batch)
        held = list(boards(step.warehouse, batch))
        if chosen.matcher == "reader":
            verdicts = matching.read_further(held, verdicts, chosen, read)
        results = []
        for one in held:
            found = matching.match(one.claims, one.nuggets, one.similarity, verdicts, chosen, one.question)
            results.append((one, found))
        with step.warehouse.transaction():
            write(step, results)
            step.warehouse.replace("match_made", [made(step, row) for row in batch])
        step.advance(len(batch))


def verdicts_for(step: Step, batch: list[Row]) -> Entailment:
    """Return the verdicts on the pairs that were chosen for these answers, by their texts."""
    rows = step.warehouse.rows(
        statement("statements/stages/match/verdicts_for"), {"answers": [row["answer_key"] for row in batch]}
    )
    return {
        (row["premise"], row["hypothesis"]): PairVerdict(
            row["entailment"], row["neutral"], row["contradiction"]
        )
        for row in rows
    }


def made(step: Step, row: Row) -> Row:
    """Put down of how many verdicts the states of an answer were made."""
    kept = {name: row[name] for name in ("answer_key", "nugget_set_key", "n_read")}
    return {**kept, "fingerprint": step.fingerprint}


def write(step: Step, results: list[tuple[Board, MatchResult]]) -> None:
    """Store one row a nugget and one a claim, in place of what was made of fewer verdicts."""
    nugget_rows, claim_rows = [], []
    for board, result in results:
        key = {
            "answer_key": board.answer_key,
            "nugget_set_key": board.nugget_set_key,
            "fingerprint": step.fingerprint,
        }
        nugget_rows += [
            {
                **key,
                "position": nugget.position,
                "state": nugget.state,
                "score": nugget.score,
                "margin": nugget.margin,
                "runner_up": nugget.runner_up,
                "claim_positions": list(nugget.claim_positions),
                "one_to_one": nugget.one_to_one,
                "conflict": nugget.conflict,
                "ambiguous": nugget.ambiguous,
                "reason": nugget.reason,
                "contrasts": "[]",  # of runs by earlier versions: where a check of words fired
            }
            for nugget in result.nuggets
        ]
        claim_rows += [
            {
                **key,
                "position": claim.position,
                "state": claim.state,
                "nugget_position": claim.nugget_position,
                "score": claim.score,
                "potentially_matched": list(claim.potentially_matched),
            }
            for claim in result.claims
        ]
    step.warehouse.replace("nugget_match", nugget_rows)
    step.warehouse.replace("claim_match", claim_rows)


match = Stage(
    "match",
    work,
    spec,
    WEIGHTS,
    travels=reads_here,
    reads=("embedding",),
    writes=("match_made", "nugget_match", "claim_match"),
)
