"""Marks from evidence for answers that belong to no run: an examination's answers are measured in a throw-away home."""

import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from medassay.models.judges.evidence import EvidenceJudge
from medassay.models.judges.judgement import SUB_METRICS, JudgeInput, Judgement
from medassay.models.keys import content_key
from medassay.models.settings import Settings
from medassay.sql.warehouse import close_warehouse
from medassay.tasks.aggregate import freeze_marks
from medassay.tasks.pipeline import Executor, execute
from medassay.tasks.run import RunRef, started_run


class _MarksAlone(Executor):
    """Freezes marks and what they are made of, and compares nothing."""

    def finish(self, run: RunRef) -> None:
        """Freeze the marks."""
        freeze_marks(run)


def examined_by(settings: Settings) -> Callable[[Sequence[JudgeInput]], list[Judgement]]:
    """Return what marks answers with these settings' reader, embedder and cut-offs, offline."""
    return lambda inputs: marks_from_evidence(inputs, settings)


def marks_from_evidence(inputs: Sequence[JudgeInput], settings: Settings) -> list[Judgement]:
    """Evaluate answers with what they come with (reference answer, guidance, sources' texts) and return their marks."""
    with tempfile.TemporaryDirectory(prefix="medassay-examination-") as folder:
        home, data = Path(folder) / "home", Path(folder) / "data"
        data.mkdir()
        distinct = {shown.input_key: shown for shown in inputs}
        questions = {question_key(shown): question_row(shown) for shown in distinct.values()}
        answers = [answer_row(key, shown) for key, shown in distinct.items()]
        for name, rows in (("questions", questions.values()), ("answers", answers)):
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (data / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        chosen = Settings(
            str(data), judge=EvidenceJudge.name, embedder=settings.embedder, reader=settings.reader,
            supports_at=settings.supports_at, contradicts_at=settings.contradicts_at, offline=True,
        )  # fmt: skip
        try:
            with started_run(home, chosen) as run:
                execute(run, _MarksAlone())
                rows = run.warehouse.rows("from mart.judgement where run_id = ?", [run.run_id])
        finally:
            close_warehouse(home)
        return [judgement_of(row) for row in rows]


def question_key(shown: JudgeInput) -> str:
    """Name a question with what it comes with: answers to the same one share it."""
    return content_key([shown.question, shown.reference_answer, shown.guidance, shown.risk_level])


def question_row(shown: JudgeInput) -> dict[str, Any]:
    """Lay out the question of an examined answer as a row of `questions`."""
    row = {
        "question_id": question_key(shown),
        "question": shown.question,
        "reference_answer": shown.reference_answer,
        "guidance": shown.guidance,
        "risk_level": shown.risk_level,
    }
    return {name: value for name, value in row.items() if value}


def answer_row(key: str, shown: JudgeInput) -> dict[str, Any]:
    """Lay out an examined answer as a row of `answers`; its system is the key of what is judged."""
    listed = [{name: value for name, value in asdict(one).items() if value} for one in shown.references]
    return {
        "question_id": question_key(shown),
        "system": key,
        "answer": shown.answer,
        "references": listed,
    }


def judgement_of(row: dict[str, Any]) -> Judgement:
    """Read a mark of the throw-away run as an examination takes it.

    Where no reference can be traced, this judge's own evidence mark is the 0 that the rubric gives.
    """
    own, kept = row["evidence_sufficiency_raw"], row["evidence_sufficiency"]
    return Judgement(
        row["system"],
        row["sample_no"],
        row["status"],
        **{name: row[name] for name in SUB_METRICS},
        evidence_sufficiency_raw=kept if own is None else own,
        justification=row["justification"],
        reason=row["reason"],
    )
