"""Stage `guidance`: what each answer says of each instruction of its question's guidance."""

from typing import Any

from medassay.models.attribution import ENTAILMENT
from medassay.models.conversation_acts import decide_asked, questions_of
from medassay.models.guidance import STAGE_VERSION, decide_guidance, passages_of
from medassay.models.keys import content_key
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row
from medassay.tasks.nli.reading import verdicts_on
from medassay.tasks.nli.verdicts import Lost, PairReader
from medassay.tasks.run import RunRef
from medassay.tasks.stages import decompose, entail
from medassay.tasks.stages.stage import Stage, Step, reads_here

BATCH = 200


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: whose sentences, who reads them, and the cut-offs."""
    return {
        "claims": content_key(decompose.spec(settings)),
        # As `pin_actual_reader` names it, so that only another model than the one asked for moves the pin.
        "entailment": content_key({"stage": "entail", **entail.spec(settings)}),
        "supports_at": settings.supports_at,
        "contradicts_at": settings.contradicts_at,
        "stage_version": STAGE_VERSION,
    }


def work(step: Step) -> None:
    """Read the instructions of each question's guidance in its answers, and what must be asked and raised."""
    answering = entail.pin_actual_reader(step, spec(step.settings))
    reader: list[PairReader] = []
    for batch in step.batches(BATCH):
        claims = claims_of(step, batch)
        statements = statements_of(step, batch)
        pairs = [
            (passage, row["text"])
            for item in batch
            for row in statements[item["guidance_set_key"]]
            for _, passage in passages_for(row, claims[item["answer_key"]])
        ]
        verdicts = verdicts_on(step, reader, answering["fingerprint"], pairs)
        for item in batch:
            store(step, item, claims[item["answer_key"]], statements[item["guidance_set_key"]], verdicts)
        step.advance(len(batch))


def passages_for(statement: Row, claims: list[ClaimText]) -> list[tuple[tuple[int, ...], str]]:
    """Return what a statement is held against: an answer's questions for what must be asked, else all of it."""
    return questions_of(claims) if statement["kind"] == "ask" else passages_of(claims)


def claims_of(step: Step, batch: list[Row]) -> dict[str, list[ClaimText]]:
    """Return the sentences of some answers, what asserts nothing among them."""
    found: dict[str, list[ClaimText]] = {item["answer_key"]: [] for item in batch}
    for row in step.warehouse.rows(
        "from current_claim where answer_key in (select unnest($answers)) order by answer_key, position",
        {"answers": list(found)},
    ):
        found[row["answer_key"]].append(ClaimText(row["position"], row["text"], row["kind"]))
    return found


def statements_of(step: Step, batch: list[Row]) -> dict[str, list[Row]]:
    """Return the instructions of some guidances, with the statements that are read."""
    found: dict[str, list[Row]] = {item["guidance_set_key"]: [] for item in batch}
    for row in step.warehouse.rows(
        "select guidance_statement.*, text.text from guidance_statement join text using (text_key)"
        " where guidance_set_key in (select unnest($sets)) order by guidance_set_key, position",
        {"sets": list(found)},
    ):
        found[row["guidance_set_key"]].append(row)
    return found


def store(
    step: Step,
    item: Row,
    claims: list[ClaimText],
    statements: list[Row],
    verdicts: dict[tuple[str, str], PairVerdict | Lost],
) -> None:
    """Write one row an instruction; an answer of which a passage could not be read is set aside with the reason."""
    texts = {claim.position: claim.text for claim in claims}
    rows = []
    for statement in statements:
        read = []
        for positions, passage in passages_for(statement, claims):
            verdict = verdicts.get((passage, statement["text"]))
            if isinstance(verdict, PairVerdict) and verdict.entailment is not None:
                read.append((positions, verdict))
                continue
            reason = getattr(verdict, "reason", None) or "the reader gave no verdict"
            step.set_aside(item["item_key"], "failed" if isinstance(verdict, Lost) else "abstained", reason)
            return
        if not read and statement["kind"] != "ask":
            step.set_aside(item["item_key"], "abstained", "the answer has no sentence that could be read")
            return
        decided = (
            decide_asked(read)
            if statement["kind"] == "ask"
            else decide_guidance(
                statement["text"],
                texts,
                read,
                said_at=step.settings.supports_at,
                turned_at=step.settings.contradicts_at,
            )
        )
        rows.append(
            {
                "answer_key": item["answer_key"],
                "guidance_set_key": item["guidance_set_key"],
                "position": statement["position"],
                "fingerprint": step.fingerprint,
                "state": decided.state,
                "score": decided.score,
                "claim_positions": list(decided.claim_positions),
                "reason": decided.reason,
            }
        )
    step.warehouse.replace("guidance_match", rows)


def is_asked(run: RunRef) -> bool:
    """Return whether there is a reader; that there is none is said where entailment is asked for."""
    return run.settings.reader != "none"


guidance = Stage(
    "guidance",
    work,
    spec,
    ENTAILMENT,
    is_asked,
    travels=reads_here,
    reads=("pair_score",),
    writes=("guidance_match", "pair_score"),
)
