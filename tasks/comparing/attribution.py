"""Attribute each changed score between two runs to what changed it."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.attribution import (
    ANSWER,
    EVIDENCE,
    FACTORS,
    JUDGE,
    NUGGETS,
    PROFILE,
    PROMPT,
    SETTINGS,
    STAGE_VERSION,
    changed_factors,
    parts_of,
)
from medassay.models.usage import UsageError
from medassay.sql.views import marts_up_to
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.comparing.counterfactual import (
    BETWEEN,
    Scores,
    Side,
    between,
    match_again,
    scores_of,
    side_of,
    unknown,
)
from medassay.tasks.finished_runs import finished_run
from medassay.tasks.run import RunRef, home_lock
from medassay.tasks.stages.judge import brief
from medassay.tasks.stages.order import FACTORS as STAGE_FACTORS


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed: the factors that differ, in the order of substitution, and a row a changed score.

    `choices` are the settings that were chosen otherwise, each as it was and as it is; `judge_notes` what must stand
    beside a metric that a judge's marks make, such as an unlicensed judge in either run.
    """

    run_a: str
    run_b: str
    factors: tuple[str, ...]
    changed: tuple[dict[str, Any], ...]
    n_same: int
    n_only_a: int
    n_only_b: int
    choices: dict[str, tuple[Any, Any]]
    judge_notes: dict[str, str]


def diff_runs(
    home: Path,
    named_a: str,
    named_b: str,
    metrics: Collection[str] = (),
    systems: Collection[str] = (),
    *,
    wait: bool = True,
    attributed: bool = True,
) -> Diff:
    """Attribute every changed score of two runs to what differs between them; asks no model and leaves no trace.

    Of all `metrics` and `systems`, unless some are named. Not `attributed`, scores are only held against each other,
    which takes no seconds: no score is taken apart.

    Raises:
        UsageError: when there is no such run, they are not of the same data set, or neither has a score so named.
    """
    with home_lock(home, "(diff)", wait=wait):
        warehouse = RunRef(str(home), BETWEEN).warehouse
        a, b = (side_of(warehouse, finished_run(warehouse, named)) for named in (named_a, named_b))
        if a.run.dataset != b.run.dataset:
            raise UsageError(
                f"run {a.run.run_id} is of {a.run.dataset}, run {b.run.run_id} of {b.run.dataset}: name two runs of one"
                ' data set (medassay query "select run_id, name, dataset from runs"), or evaluate both with the same'
                " --dataset"
            )
        for what, named in (("metric", metrics), ("system", systems)):
            refuse_unknown(warehouse, what, named, a, b)
        factors = differing(warehouse, a, b)
        held = _held(warehouse, a, b, metrics, systems)
        moved = [row for row in held if row["what"] == "changed"]
        counts = Counter({row["what"]: row["n"] for row in held if row["what"] != "changed"})
        steps = list(path(home, warehouse, a, b, factors)) if moved and attributed else []
        notes = judge_notes(warehouse, a.run.run_id, b.run.run_id)
        changed = [row_of(row, factors, steps) for row in moved]
    return Diff(
        a.run.run_id,
        b.run.run_id,
        factors,
        tuple(changed),
        counts["same"],
        counts["first"],
        counts["second"],
        chosen_otherwise(a, b),
        notes,
    )


def _held(
    warehouse: Warehouse, a: Side, b: Side, metrics: Collection[str], systems: Collection[str]
) -> list[Row]:
    """Return the scores that changed, and counts of the others; of each run as they were frozen for its profile."""
    return warehouse.rows(
        statement("statements/comparing/held_scores"),
        {
            "a": a.run.run_id,
            "b": b.run.run_id,
            "profile_a": a.run.profile,
            "profile_b": b.run.profile,
            "metrics": [*metrics],
            "systems": [*systems],
        },
    )


def refuse_unknown(warehouse: Warehouse, what: str, named: Collection[str], a: Side, b: Side) -> None:
    """Refuse a metric or a system that no score of either run has.

    Raises:
        UsageError: naming those that there are.
    """
    if not named:
        return
    rows = warehouse.rows(
        f"select distinct {what} as name from mart.score where run_id in (?, ?) order by name",
        [a.run.run_id, b.run.run_id],
    )
    known = [row["name"] for row in rows]
    if unknown_names := [name for name in named if name not in known]:
        raise UsageError(f"no {what} {unknown_names[0]!r} in either run; there are: {', '.join(known)}")


def judge_notes(warehouse: Warehouse, run_a: str, run_b: str) -> dict[str, str]:
    """Return what must stand beside each of the judge's metrics, and of which of the two runs it is true."""
    rows = warehouse.rows(
        "select metric, judge_note, list(distinct run_id order by run_id) as runs from judge_notes"
        " where run_id in (?, ?) group by all order by metric, judge_note",
        [run_a, run_b],
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        where = "" if len(row["runs"]) == 2 else f" in run {row['runs'][0]}"
        found.setdefault(row["metric"], []).append(f"{row['judge_note']}{where}")
    return {metric: "; ".join(said) for metric, said in found.items()}


def chosen_otherwise(a: Side, b: Side) -> dict[str, tuple[Any, Any]]:
    """Return the settings that change scores and differ between two runs: as they were, as they are."""
    return settings_otherwise(a.settings, b.settings)


def settings_otherwise(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the same of two runs' settings."""
    return {name: (a.get(name), b.get(name)) for name in SETTINGS if a.get(name) != b.get(name)}


def differing(warehouse: Warehouse, a: Side, b: Side) -> tuple[str, ...]:
    """Return the factors in which the runs differ, in the order of substitution."""
    found = changed_factors(a.specs, b.specs, STAGE_FACTORS)
    both = {"a": a.run.run_id, "b": b.run.run_id}
    for factor, columns in ((ANSWER, "system, answer_key"), (NUGGETS, "question_key, nugget_set_key")):
        table = "run_answer" if factor == ANSWER else "run_question"
        one, two = (f"select question_id, {columns} from {table} where run_id = ${side}" for side in "ab")
        found.discard(factor)
        if warehouse.value(
            f"select count(*) from (({one} except {two}) union all ({two} except {one}))", both
        ):
            found.add(factor)
    # What only one run cites came with its answers.
    found.discard(EVIDENCE)
    if warehouse.value(
        "select count(*) from run_source as one join run_source as two using (source_id)"
        " where one.run_id = $a and two.run_id = $b and (one.state <> two.state"
        " or one.fetch_no is distinct from two.fetch_no or one.reason is distinct from two.reason)",
        both,
    ):
        found.add(EVIDENCE)
    if a.run.profile != b.run.profile:
        found.add(PROFILE)
    if [row["fingerprint"] for row in a.judges] != [row["fingerprint"] for row in b.judges] and not found & {
        JUDGE,
        PROMPT,
        STAGE_VERSION,
    }:
        found.add(JUDGE)
    for name, factor in SETTINGS.items():
        # Which model a spec such as `auto` meant is in the fingerprints.
        if name in ("supports_at", "contradicts_at", "samples") and a.settings.get(name) != b.settings.get(
            name
        ):
            found.add(factor)
    return tuple(factor for factor in FACTORS if factor in found)


def path(home: Path, warehouse: Warehouse, a: Side, b: Side, factors: tuple[str, ...]) -> Iterator[Scores]:
    """Yield the scores before the first substitution and after each."""
    for n_taken in range(len(factors) + 1):
        taken = frozenset(factors[:n_taken])
        with between(warehouse, a, b, taken):
            run = RunRef(str(home), BETWEEN)
            match_again(run)
            brief(run)
            for mart in marts_up_to("score"):
                warehouse.execute(f"insert into mart.{mart} by name from new_{mart}")
            profile = (b if PROFILE in taken else a).run.profile
            found = Scores(scores_of(warehouse, BETWEEN, profile), unknown(warehouse))
        yield found


def row_of(held: Row, factors: tuple[str, ...], steps: list[Scores]) -> dict[str, Any]:
    """Take one changed score apart; without steps it is only said."""
    place = (held["question_id"], held["system"], held["metric"])
    before, after = held["before"], held["after"]
    row: dict[str, Any] = {
        **dict(zip(("question_id", "system", "metric"), place, strict=True)),
        "before": before,
        "after": after,
        "reason": held["reason_before"] if before is None else held["reason_after"],
    }
    difference = None if before is None or after is None else after - before
    if not steps:
        by = "not computed" if difference is None else None
        return {**row, "difference": difference, "parts": {}, "interaction": None, "by": by}
    values = [step.at(place) for step in steps]
    if difference is None:
        # There is no difference; the first step at which the score came or went is what did it.
        came = [known and (value is None) == (after is None) for value, known in values]
        sure = all(known for _, known in values)
        by = next(
            (factor for place_no, factor in enumerate(factors) if came[place_no + 1] and not came[place_no]),
            None,
        )
        return {
            **row,
            "difference": None,
            "parts": {},
            "interaction": None,
            "by": by if sure else "not computed",
        }
    found = parts_of(factors, [value if known else None for value, known in values], before, after)
    return {
        **row,
        "difference": difference,
        "parts": found.parts,
        "interaction": found.remainder,
        "by": None,
    }
