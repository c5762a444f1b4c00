"""Stage `joint`: verdicts of several sources together, without each one, and on each part of a claim.

ALCE's two tests (Gao et al. 2023, section 3.2) and the verdict `partial` need more pairs than a claim beside a
passage. Only those that can change a number are read: several sources together, a source left out where the set
entails the claim and the source does not entail it alone, and parts where a source does not support the whole.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from medassay.models.attribution import ENTAILMENT
from medassay.models.keys import content_key, text_key
from medassay.models.nli.joint_premises import joined_premise
from medassay.models.nli.loading import room_of
from medassay.models.nli.settings import Said, says
from medassay.models.records import PairVerdict
from medassay.models.settings import Settings
from medassay.models.text.claims.parts import claim_parts
from medassay.sql.warehouse import Row, Warehouse
from medassay.tasks.nli.reading import verdicts_on
from medassay.tasks.nli.verdicts import Lost, PairReader
from medassay.tasks.run import RunRef
from medassay.tasks.stages import entail
from medassay.tasks.stages.stage import Stage, Step, reads_here

STAGE_VERSION = 4
BATCH = 256
DOES_NOT_FIT = "the best sentences of the cited sources do not fit the model's window together"


def spec(settings: Settings) -> dict[str, Any]:
    """Return what is asked: whose verdicts, and from where on one supports or contradicts."""
    return {
        "entailment": content_key({"stage": "entail", **entail.spec(settings)}),
        "supports_at": settings.supports_at,
        "contradicts_at": settings.contradicts_at,
        "stage_version": STAGE_VERSION,
    }


@dataclass(frozen=True, slots=True)
class Source:
    """A cited source with its passages, and what it says of the claim by itself; None where it was not read."""

    source_id: str
    passages: tuple[str, ...]
    state: str | None


@dataclass(slots=True)
class JointReading:
    """One premise beside a claim or a part of it, and what came of it."""

    role: str
    hypothesis: str
    premise: str | None
    source_id: str = ""
    part_no: int = 0
    verdict: PairVerdict | Lost | None = None

    def fits(self) -> bool:
        """Return whether all of the premise was read at once."""
        verdict = self.verdict
        return isinstance(verdict, PairVerdict) and verdict.n_windows == 1 and verdict.coverage > 0.999

    def is_open(self) -> bool:
        """Return whether the model was asked and gave no verdict."""
        return self.premise is not None and not (
            isinstance(self.verdict, PairVerdict) and self.verdict.entailment is not None
        )

    def reason(self) -> str | None:
        """Return why there is no verdict that counts."""
        if self.premise is None:
            return DOES_NOT_FIT
        if isinstance(self.verdict, PairVerdict) and self.verdict.entailment is not None:
            return None if self.role == "part" or self.fits() else DOES_NOT_FIT
        return (self.verdict.reason if self.verdict else None) or "the entailment model gave no verdict"


@dataclass(slots=True)
class Claimed:
    """A claim with its evidence, what the sources say by themselves, and the readings it needs."""

    item_key: str
    states: str
    claim: str
    sources: tuple[Source, ...]
    readings: list[JointReading] = field(default_factory=list)

    def plan(self, room: int) -> None:
        """Put down what has to be read whatever comes of it."""
        if len(self.sources) > 1:
            together = joined_premise(self.claim, [s.passages for s in self.sources], room)
            self.readings.append(JointReading("all", self.claim, together))
        parts = claim_parts(self.claim)
        for source in self.sources:
            if source.state in ("neutral", "contradicts"):
                for number, part in enumerate(parts):
                    premise = joined_premise(part, [source.passages], room)
                    self.readings.append(JointReading("part", part, premise, source.source_id, number))

    def plan_further(self, room: int, entailed: bool) -> None:
        """Put down which source has to be left out, now that it is known what all say together."""
        if not entailed:
            return
        for left_out in self.sources:
            if left_out.state == "supports":
                continue
            others = [s.passages for s in self.sources if s is not left_out]
            premise = joined_premise(self.claim, others, room)
            self.readings.append(JointReading("without", self.claim, premise, left_out.source_id))


def work(step: Step) -> None:
    """Read several sources together, and claims part by part."""
    warehouse = step.warehouse
    answering = entail.pin_actual_reader(step, spec(step.settings))
    pinned = answering["fingerprint"]
    # Who was asked may have been replaced, and what took its place may have another window.
    room = room_of(json.loads(answering["spec"]))
    reader: list[PairReader] = []
    for rows in step.batches(BATCH):
        claims = [claimed(warehouse, row) for row in rows]
        for claim in claims:
            claim.plan(room)
        read(step, reader, pinned, [reading for claim in claims for reading in claim.readings])
        further = []
        for claim in claims:
            before = len(claim.readings)
            whole = next((r for r in claim.readings if r.role == "all"), None)
            claim.plan_further(room, bool(whole and whole.fits() and entails(step, whole)))
            further += claim.readings[before:]
        read(step, reader, pinned, further)
        store(step, claims)
        step.advance(len(rows))


def claimed(warehouse: Warehouse, row: Row) -> Claimed:
    """Fetch the passages of a claim's sources."""
    keys = [key for source in row["sources"] for key in source["passage_keys"]]
    texts = {
        found["text_key"]: found["text"]
        for found in warehouse.rows("from text where text_key in (select unnest(?))", [keys])
    }
    sources = tuple(
        Source(s["source_id"], tuple(texts[key] for key in s["passage_keys"]), s["state"])
        for s in row["sources"]
    )
    return Claimed(row["item_key"], row["states"], row["claim"], sources)


def read(step: Step, reader: list[PairReader], fingerprint: str, readings: Sequence[JointReading]) -> None:
    """Give every reading its verdict."""
    found = verdicts_on(
        step, reader, fingerprint, [(r.premise, r.hypothesis) for r in readings if r.premise is not None]
    )
    for reading in readings:
        if reading.premise is not None:
            reading.verdict = found.get((reading.premise, reading.hypothesis))


def entails(step: Step, reading: JointReading) -> bool:
    """Return whether a reading's premise entails its hypothesis, by the run's cut-offs."""
    return said(step, reading) == "supports"


def contradicts(step: Step, reading: JointReading) -> bool:
    """Return whether a reading's premise contradicts its hypothesis, by the run's cut-offs."""
    return said(step, reading) == "contradicts"


def said(step: Step, reading: JointReading) -> Said | None:
    """Return what a reading's premise says of its hypothesis; None where it was not read."""
    verdict = reading.verdict
    if not isinstance(verdict, PairVerdict):
        return None
    return says(verdict, step.settings.supports_at, step.settings.contradicts_at)


def store(step: Step, claims: Sequence[Claimed]) -> None:
    """Write the readings of claims, in place of those that were planned on other states of their sources.

    A claim with a pair that was lost is asked about again by the next run, one that the model abstained on by a retry.
    """
    rows, done, read_again = [], [], []
    for claim in claims:
        if lost := next((r.verdict for r in claim.readings if isinstance(r.verdict, Lost)), None):
            step.set_aside(claim.item_key, "failed", lost.reason)
            continue
        read_again.append(claim.item_key)
        rows += [reading_row(step, claim, reading) for reading in claim.readings]
        if why := next((reading.reason() for reading in claim.readings if reading.is_open()), None):
            step.set_aside(claim.item_key, "abstained", why)
        else:
            done.append(
                {"evidence_key": claim.item_key, "fingerprint": step.fingerprint, "states": claim.states}
            )
    with step.warehouse.transaction():
        step.warehouse.execute(
            "delete from joint_reading"
            " where fingerprint = $fingerprint and evidence_key in (select unnest($keys::varchar[]))",
            {"fingerprint": step.fingerprint, "keys": read_again},
        )
        step.warehouse.append("joint_reading", rows)
        step.warehouse.replace("joint_claim", done)


def reading_row(step: Step, claim: Claimed, reading: JointReading) -> Row:
    """Lay a reading out as a row; what did not fit the window decides nothing."""
    reason = reading.reason()
    verdict = reading.verdict
    return {
        "evidence_key": claim.item_key,
        "fingerprint": step.fingerprint,
        "role": reading.role,
        "source_id": reading.source_id,
        "part_no": reading.part_no,
        "premise_key": text_key(reading.premise) if reading.premise else None,
        "hypothesis_key": text_key(reading.hypothesis),
        "entailment": verdict.entailment if isinstance(verdict, PairVerdict) and reason is None else None,
        "entails": entails(step, reading) if reason is None else None,
        "contradicts": contradicts(step, reading) if reason is None else None,
        "reason": reason,
    }


def is_asked(run: RunRef) -> bool:
    """Return whether there is a model that could read."""
    return run.settings.reader != "none"


joint = Stage(
    "joint",
    work,
    spec,
    ENTAILMENT,
    is_asked,
    travels=reads_here,
    within="citation_pair",
    writes=("joint_claim", "joint_reading", "pair_score"),
)
