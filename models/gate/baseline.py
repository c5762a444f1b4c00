"""Baseline of a gate: a small file to commit, with scores, contradicted nuggets and faulty citations."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from medassay.metrics import shown_in
from medassay.models.atomic_files import written_whole
from medassay.models.gate.measured import MadeWith, MeasuredAnswer, MeasuredRun
from medassay.models.keys import content_key
from medassay.models.usage import UsageError

FORM: Literal["medassay.baseline/1"] = "medassay.baseline/1"
DIGITS = 6
_WRITE_ANEW = "write it anew with --write-baseline"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class BaselineAnswer(_Part):
    """One question put to one system: `answer` names its content; its contradicted nuggets and faulty citations."""

    question_id: str
    system: str
    answer: str | None
    scores: dict[str, float | None]
    contradicted: tuple[str, ...]
    citations: tuple[str, ...]


class BaselineMadeWith(_Part):
    """What the scores were made with; see `MadeWith`."""

    options: dict[str, Any]
    stages: dict[str, str]
    formulas: str | None


class Baseline(_Part):
    """A run's scores to hold later runs against."""

    form: Literal["medassay.baseline/1"] = FORM
    medassay: str
    dataset: str
    run_id: str
    profile: str
    digest: str
    made_with: BaselineMadeWith
    answers: tuple[BaselineAnswer, ...]

    def by_answer(self) -> dict[tuple[str, str], BaselineAnswer]:
        """Return the answers by question and system."""
        return {(one.question_id, one.system): one for one in self.answers}


def digest_of(made_with: MadeWith | BaselineMadeWith) -> str:
    """Name what scores were made with: equal digests mean that equal answers have equal scores."""
    return content_key([dict(made_with.options), dict(made_with.stages), made_with.formulas])


def kept_metrics(run: MeasuredRun) -> list[str]:
    """Return the metrics whose scores a baseline keeps: those of the leaderboard and the run's primary ones."""
    return list(dict.fromkeys([*run.primary, *(metric.name for metric in shown_in("leaderboard"))]))


def baseline_of(run: MeasuredRun) -> Baseline:
    """Return a run as a baseline; a metric without any value is left out."""
    kept = kept_metrics(run)
    return Baseline(
        medassay=run.version,
        dataset=run.dataset,
        run_id=run.run_id,
        profile=run.profile,
        digest=digest_of(run.made_with),
        made_with=BaselineMadeWith(
            options=dict(run.made_with.options),
            stages=dict(run.made_with.stages),
            formulas=run.made_with.formulas,
        ),
        answers=tuple(_row(answer, kept) for answer in run.answers),
    )


def _row(answer: MeasuredAnswer, kept: list[str]) -> BaselineAnswer:
    return BaselineAnswer(
        question_id=answer.question_id,
        system=answer.system,
        answer=answer.answer_key,
        scores={name: kept_value(answer, name) for name in kept if kept_value(answer, name) is not None},
        contradicted=tuple(sorted(one.nugget for one in answer.contradicted)),
        citations=tuple(sorted({one.fault for one in answer.citations})),
    )


def kept_value(answer: MeasuredAnswer, metric: str) -> float | None:
    """Return an answer's score as a baseline keeps it, with six digits after the point."""
    score = answer.scores.get(metric)
    return None if score is None or score.value is None else round(score.value, DIGITS)


def write_baseline(path: Path, baseline: Baseline) -> None:
    """Write a baseline as JSON with a line an answer, so that a commit shows which answers changed."""
    head = baseline.model_dump(mode="json", exclude={"answers"})
    lines = [json.dumps(one.model_dump(mode="json"), ensure_ascii=False) for one in baseline.answers]
    text = json.dumps(head, ensure_ascii=False, indent=1)[:-2]
    with written_whole(path) as file:
        file.write(text + ',\n "answers": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n")


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        UsageError: where it is none, saying what to do.
        OSError: where it cannot be read.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file: write it with --write-baseline") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not valid JSON ({error}); {_WRITE_ANEW}") from None
    if not isinstance(found, dict) or found.get("form") != FORM:
        form = found.get("form") if isinstance(found, dict) else None
        raise UsageError(f"{path}: form is {form!r}, and this version reads {FORM}; {_WRITE_ANEW}")
    try:
        return Baseline.model_validate(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{path}: {place}: {first['msg'].lower()}; {_WRITE_ANEW}") from None


def differences(baseline: Baseline, run: MeasuredRun) -> list[str]:
    """Return what a baseline was made with otherwise, by name; empty where its scores can be compared."""
    if baseline.digest == digest_of(run.made_with):
        return []
    before, now = baseline.made_with, run.made_with
    found = [
        *_changed(before.options, now.options),
        *(f"stage {name}" for name in _stages_changed(before, now)),
    ]
    if before.formulas != now.formulas and not found:
        found.append(f"formulas (MedAssay {baseline.medassay}, now {run.version}) or primary metrics")
    return found or ["its digest does not fit what it says"]


def _changed(before: dict[str, Any], now: Any) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{name} {_shown(before.get(name))}, now {_shown(now.get(name))}"


def _stages_changed(before: BaselineMadeWith, now: MadeWith) -> list[str]:
    return [
        name
        for name in sorted({*before.stages, *now.stages})
        if before.stages.get(name) != now.stages.get(name)
    ]


def _shown(value: Any) -> str:
    return "not given" if value is None else str(value)


def other_baseline(path: str, differs: list[str]) -> UsageError:
    """Return a line that says that a baseline was made with other options or models, and what to do."""
    return UsageError(
        f"{path}: made with other options or models ({'; '.join(differs)}), so its scores are not comparable: measure"
        " the answers that it was made of again with --write-baseline, or compare all the same with"
        " --allow-other-baseline"
    )
