"""The folder that a build writes: `cases.jsonl`, `drops.jsonl`, `questions.jsonl`, `splits/*.jsonl`, `card.json`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from medassay.models.intake.file_opening import refuse_absent
from medassay.models.intake.rows import IntakeError
from medassay.models.judge_training.composing import PARTS, Part
from medassay.models.judge_training.folders import read_json, read_lines, write_json, write_lines
from medassay.models.judge_training.questions import Drop
from medassay.models.judge_training.records import (
    CRITERIA,
    EvaluationCase,
    ExpertLabel,
    read_cases,
    write_cases,
)
from medassay.models.judge_training.splitting import FILES, Splits, split
from medassay.models.usage import UsageError

CASES, DROPS, QUESTIONS, SPLITS, CARD = "cases.jsonl", "drops.jsonl", "questions.jsonl", "splits", "card.json"
DERIVED = ("experts", "quality", "split")
"""The stages whose drops follow from the cases: they are made anew whenever labels or qualities change."""


@dataclass(frozen=True, slots=True)
class JudgeData:
    """What a build made: all cases, what each question serves, what was dropped on the way, and the card."""

    cases: list[EvaluationCase]
    parts: dict[str, Part]
    drops: list[Drop]
    card: dict[str, Any] = field(default_factory=dict)

    @property
    def threshold(self) -> float | None:
        """Return the least quality that the classifier keeps, None where none was trained."""
        quality = self.card.get("quality")
        return float(quality["threshold"]) if quality else None

    def labelled(self, labels: Mapping[str, Mapping[str, Mapping[str, bool]]]) -> "JudgeData":
        """Return the data with what experts said, by case, expert and criterion; incomplete checks do not count."""
        cases = [
            replace(
                case,
                expert_labels=tuple(
                    ExpertLabel(expert, *(said[criterion] for criterion in CRITERIA))
                    for expert, said in sorted(labels.get(case.case_id, {}).items())
                    if said.keys() >= set(CRITERIA)
                ),
            )
            for case in self.cases
        ]
        return replace(self, cases=cases)


def at_threshold(data: JudgeData, threshold: float) -> JudgeData:
    """Return the data with another least quality.

    Raises:
        UsageError: where no classifier was applied.
    """
    if data.threshold is None:
        raise UsageError("no classifier was applied: run `medassay judge-data classify` first")
    quality = {**data.card["quality"], "threshold": threshold, "threshold_is": "given"}
    return replace(data, card={**data.card, "quality": quality})


def write_data(folder: Path, data: JudgeData) -> Splits:
    """Write the folder, each file whole, and return how the cases were split."""
    splits = split(data.cases, data.parts, data.threshold)
    (folder / SPLITS).mkdir(parents=True, exist_ok=True)
    write_cases(folder / CASES, data.cases)
    drops = [drop for drop in data.drops if drop.stage not in DERIVED] + splits.drops
    write_lines(folder / DROPS, drops)
    parts = ({"question_id": name, "part": part} for name, part in data.parts.items())
    write_lines(folder / QUESTIONS, parts)
    for name in FILES:
        path = folder / SPLITS / f"{name}.jsonl"
        if name in splits.files:
            write_cases(path, splits.files[name])
        else:
            path.unlink(missing_ok=True)
    counts = {name: _counts(cases) for name, cases in splits.files.items()}
    write_json(folder / CARD, {**data.card, "splits": counts})
    return splits


def _counts(cases: Sequence[EvaluationCase]) -> dict[str, Any]:
    return {
        "n_cases": len(cases),
        "n_questions": len({case.question_id for case in cases}),
        "systems": sorted({system for case in cases for system in case.systems}),
    }


def read_data_folder(folder: Path) -> JudgeData:
    """Read a folder that a build wrote.

    Raises:
        IntakeError: for what is not there, or is no such folder.
    """
    remedy = "give a folder that `medassay judge-data build` wrote"
    for name in (CASES, DROPS, QUESTIONS, CARD):
        refuse_absent(folder / name, "no such file", remedy)
    cases = read_cases(folder / CASES)
    try:
        parts = {row["question_id"]: row["part"] for row in read_lines(folder / QUESTIONS)}
        drops = [Drop(**row) for row in read_lines(folder / DROPS)]
        card = read_json(folder / CARD)
    except (ValueError, KeyError, TypeError) as error:
        raise IntakeError(folder, None, f"not the data of a judge ({error})", remedy) from None
    unknown = {case.question_id for case in cases} - parts.keys()
    if unknown or not set(parts.values()) <= set(PARTS) or not isinstance(card, dict):
        raise IntakeError(folder / QUESTIONS, None, "it does not fit the cases", remedy)
    return JudgeData(cases, parts, drops, card)
