"""Marks from evidence: the rubric's four marks made of what was read, by `sql/intermediate/evidence_marks.sql`.

No model is asked. Each mark is a formula over states of nuggets, claims, citations and guidance; a mark with nothing to
hold the answer against is NULL with the reason.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from medassay.metrics.evidence import WEIGHTS
from medassay.models.chat.cap import Cap
from medassay.models.chat.ledger import Ledger
from medassay.models.judges.judgement import JudgeInput, Judgement

STAGE_VERSION = 6
"""Raised by hand whenever the same rows would give other marks."""


@dataclass(frozen=True, slots=True)
class EvidenceJudge:
    """The judge `evidence`; `examined` marks answers that belong to no run, as an examination shows them."""

    name: ClassVar[str] = "evidence"
    caveat: ClassVar[str | None] = None
    examined: Callable[[Sequence[JudgeInput]], list[Judgement]] | None = None

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What decides a mark beside the rows that it is made of."""
        return {"judge": self.name, "weights": WEIGHTS, "stage_version": STAGE_VERSION}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def judge(
        self,
        inputs: Sequence[JudgeInput],
        ledger: Ledger,
        *,
        sample_no: int = 0,
        concurrency: int = 8,
        deadline_s: float | None = None,
        cap: Cap | None = None,
        on_done: Callable[[Judgement], None] | None = None,
    ) -> list[Judgement]:
        """Mark answers of an examination; in a run SQL does it.

        Raises:
            ValueError: outside an examination, where nobody was given to read the answers.
        """
        if self.examined is None:
            raise ValueError("the marks of a run's answers are made by SQL; nothing is asked")
        judged = self.examined(inputs)
        for judgement in judged if on_done else ():
            assert on_done is not None
            on_done(judgement)
        return judged
