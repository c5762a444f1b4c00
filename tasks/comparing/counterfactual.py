"""Counterfactual runs between two runs: pins of both combined, scored without a model, rolled back."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from medassay.metrics import BY_NAME, RUBRIC
from medassay.models.attribution import (
    ANSWER,
    EVIDENCE,
    JUDGE,
    NUGGETS,
    PROFILE,
    PROMPT,
    SETTINGS,
    STAGE_VERSION,
    Spec,
    changed_factors,
    mixed_specs,
)
from medassay.models.keys import content_key
from medassay.models.settings import Settings
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.finished_runs import FinishedRun
from medassay.tasks.judging.panel import STAGE as JUDGE_STAGE
from medassay.tasks.run import RunRef
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.match import match
from medassay.tasks.stages.order import FACTORS as STAGE_FACTORS
from medassay.tasks.stages.shortlist import shortlist
from medassay.tasks.stages.stage import Stage, Step

BETWEEN = "between"
"""What the run that stands between two is called; it is undone before anybody else can see it."""
Place = tuple[str, str, str]
Key = tuple[str, str]


def kind_of(metric: str) -> str:
    """Describe what a metric is made of: nuggets, citations, conversations, criteria, a judge's marks and so on."""
    group = BY_NAME[metric].group
    return "judge" if group is RUBRIC else group.name


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs: what it asked of each stage, and its choices."""

    run: FinishedRun
    specs: dict[str, Spec]
    judges: list[Row]
    settings: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of a run or of one between two: value and reason by question, system and metric; None: not computed."""

    values: dict[Place, tuple[float | None, str | None]]
    unknown: dict[str, set[Key]]

    def at(self, place: Place) -> tuple[float | None, bool]:
        """Return a score, and whether it could be computed."""
        question_id, system, metric = place
        if (question_id, system) in self.unknown[kind_of(metric)] or place not in self.values:
            return None, False
        return self.values[place][0], True


def side_of(warehouse: Warehouse, run: FinishedRun) -> Side:
    """Read what a run asked of each stage."""
    specs = {
        row["stage"]: json.loads(row["spec"])
        for row in warehouse.rows(
            "select run_stage.stage, spec from run_stage join fingerprint using (fingerprint) where run_id = ?",
            [run.run_id],
        )
    }
    judges = warehouse.rows("from run_judge where run_id = ? order by judge_no", [run.run_id])
    settings = warehouse.value("select settings from run where run_id = ?", [run.run_id])
    return Side(run, specs, judges, json.loads(settings))


def scores_of(
    warehouse: Warehouse, run_id: str, profile: str
) -> dict[Place, tuple[float | None, str | None]]:
    """Return the scores of a run under a profile."""
    return {
        (row["question_id"], row["system"], row["metric"]): (row["value"], row["reason"])
        for row in warehouse.rows(
            "select question_id, system, metric, value, reason from mart.score"
            " where run_id = ? and profile in ('any', ?)",
            [run_id, profile],
        )
    }


class _Undone(Exception):
    """Ends the transaction of a run between two."""


@contextmanager
def between(warehouse: Warehouse, a: Side, b: Side, taken: frozenset[str]) -> Iterator[None]:
    """Put a run together from the pins of two, the factors that are taken from the second; undo it afterwards."""
    try:
        with warehouse.transaction():
            pin(warehouse, a, b, taken)
            warehouse.focus(BETWEEN)
            yield
            raise _Undone
    except _Undone:
        pass


def pin(warehouse: Warehouse, a: Side, b: Side, taken: frozenset[str]) -> None:
    """Write the pins of a run between two."""
    ids = {"a": a.run.run_id, "b": b.run.run_id}

    def of(factor: str) -> str:
        return ids["b" if factor in taken else "a"]

    settings = {**a.settings}
    for name, factor in SETTINGS.items():
        source = (b if factor in taken else a).settings
        if name in source:
            settings[name] = source[name]
    profile = (b if PROFILE in taken else a).run.profile
    warehouse.execute(
        "insert into run by name select * replace ($id as run_id, $settings as settings, $profile as profile,"
        " 'running' as state) from run where run_id = $of",
        {"id": BETWEEN, "settings": json.dumps(settings), "profile": profile, "of": a.run.run_id},
    )
    specs = mixed_specs(a.specs, b.specs, taken, STAGE_FACTORS) | matching_specs(a, b, settings)
    for stage, spec in specs.items():
        warehouse.insert(
            "run_stage",
            [{"run_id": BETWEEN, "stage": stage, "fingerprint": content_key({"stage": stage, **spec})}],
        )
        warehouse.insert(
            "fingerprint",
            [
                {
                    "fingerprint": content_key({"stage": stage, **spec}),
                    "stage": stage,
                    "spec": json.dumps(spec),
                }
            ],
        )
    for table, factor in (("run_question", NUGGETS), ("run_answer", ANSWER), ("run_unasked", ANSWER)):
        warehouse.execute(
            f"insert into {table} by name select * replace ('{BETWEEN}' as run_id) from {table} as own"
            " where run_id = $own"
            " and question_id in (select question_id from run_question where run_id = $other)",
            {"own": of(factor), "other": ids["a"] if of(factor) == ids["b"] else ids["b"]},
        )
    # Evidence that only one run met comes with the answer that cites it, texts that an answer carries with the answer.
    for own in (of(EVIDENCE), ids["a"], ids["b"]):
        warehouse.execute(
            "insert or ignore into run_own_text by name"
            f" select * replace ('{BETWEEN}' as run_id) from run_own_text as own where run_id = $own"
            f" and (source_id not in (select source_id from run_source where run_id = '{BETWEEN}')"
            " or answer_key not in (select answer_key from run_answer where run_id = $first))",
            {"own": own, "first": of(EVIDENCE)},
        )
        warehouse.execute(
            f"insert or ignore into run_source by name select * replace ('{BETWEEN}' as run_id) from run_source"
            " where run_id = ?",
            [own],
        )
        warehouse.execute(
            f"insert or ignore into outcome by name select * replace ('{BETWEEN}' as run_id) from outcome"
            " where run_id = ? and stage = 'fetch'",
            [own],
        )
    pin_judges(warehouse, a, b, taken, specs)


def matching_specs(a: Side, b: Side, settings: dict[str, Any]) -> dict[str, Spec]:
    """Return what the stages of matching are asked under mixed settings, where today's code asked both runs.

    Their entries depend on several settings at once (the shortlist's floor on matcher and threshold), so that mixed
    entry by entry they would be a question that no run asks.
    """
    found: dict[str, Spec] = {}
    for stage in (shortlist, match):
        if all(side.specs.get(stage.name) == _as_stored(stage, side.settings) for side in (a, b)):
            found[stage.name] = _as_stored(stage, settings)
    return found


def _as_stored(stage: Stage, settings: dict[str, Any]) -> Spec:
    spec: Spec = json.loads(json.dumps(stage.spec(Settings(**settings))))
    return spec


def pin_judges(warehouse: Warehouse, a: Side, b: Side, taken: frozenset[str], specs: dict[str, Spec]) -> None:
    """Write down who judges in between; a panel is one run's or the other's as a whole."""
    judges = (b if JUDGE in taken else a).judges
    mixed = specs.get(JUDGE_STAGE)
    if len(a.judges) == len(b.judges) == 1 and mixed is not None:
        judges = [{**judges[0], "fingerprint": content_key({"stage": JUDGE_STAGE, **mixed})}]
    elif [row["fingerprint"] for row in a.judges] != [
        row["fingerprint"] for row in b.judges
    ] and JUDGE not in taken:
        judges = (
            b
            if taken & {PROMPT, STAGE_VERSION}
            and JUDGE not in changed_factors(a.specs, b.specs, STAGE_FACTORS)
            else a
        ).judges
    warehouse.insert("run_judge", [{**row, "run_id": BETWEEN} for row in judges])


def match_again(run: RunRef) -> None:
    """Do what a run between two still lacks and needs no model: rules, shortlists and matches from stored verdicts.

    Only where today's rules are those that the fingerprint names, and every vector and verdict is there.
    """
    warehouse, settings = run.warehouse, run.settings
    for stage in (decompose, shortlist, match):
        pinned = warehouse.value(f"select pinned('{stage.name}')")
        spec = stage.spec(settings)
        needs_vectors = stage is not decompose
        if (
            pinned != content_key({"stage": stage.name, **spec})
            or (stage is decompose and spec.get("method") != "rules")
            or (needs_vectors and warehouse.value("select count(*) from embed_pending"))
            or (stage is match and settings.reader != "none" and _unread(warehouse))
        ):
            return
        step = Step(run, stage.name, str(pinned), warehouse, settings)
        if step.pending():
            stage.work(step)


def _unread(warehouse: Warehouse) -> bool:
    """Return whether a pair that a match would look at has no verdict."""
    return bool(
        warehouse.value(
            "select count(*) from shortlist_items join shortlist_pair using (answer_key, nugget_set_key)"
            " where shortlist_pair.fingerprint = pinned('shortlist')"
            " and premise_key || hypothesis_key in (select item_key from entail_pending)"
        )
    )


MARKED_BY = ("nuggets", "citations", "contexts", "reference")
"""What marks from evidence are made of."""


def unknown(warehouse: Warehouse) -> dict[str, set[Key]]:
    """Return, by what scores are made of, the answers whose scores in between would need a model to be asked."""
    undecomposed = (
        "select question_id, system from current_answer where not is_blank(text) and answer_key not in"
        " (select answer_key from decomposition where fingerprint = pinned('decompose'))"
    )
    queries = {
        "nuggets": f"""
            {undecomposed}
            union
            select question_id, system from current_answer
            semi join nugget using (nugget_set_key)
            anti join (from match_made where fingerprint = pinned('match')) using (answer_key, nugget_set_key)
            union
            select question_id, system from current_answer
            join fingerprint on fingerprint.fingerprint = pinned('assign') and (spec ->> 'llm') <> 'none'
            where nugget_set_key is not null and (answer_key, nugget_set_key) not in (
                select (answer_key, nugget_set_key) from nugget_assignment where fingerprint = pinned('assign')
            )
        """,
        "citations": f"""
            {undecomposed}
            union
            select question_id, system from current_answer
            join citation_pair using (answer_key)
            join fingerprint
                on fingerprint.fingerprint = pinned('entail') and (spec ->> 'model') is distinct from 'none'
            where premise_key || hypothesis_key in (select item_key from entail_pending)
            union
            select question_id, system from current_answer
            join cited_evidence using (answer_key)
            where cited_evidence.evidence_key in (select item_key from joint_pending)
        """,
        "contexts": f"""
            {undecomposed}
            union
            select question_id, system from context_pair
            join fingerprint
                on fingerprint.fingerprint = pinned('entail') and (spec ->> 'model') is distinct from 'none'
            where premise_key || hypothesis_key in (select item_key from entail_pending)
        """,
        "reference": f"""
            {undecomposed}
            union
            select question_id, system from reference_pair
            join fingerprint
                on fingerprint.fingerprint = pinned('entail') and (spec ->> 'model') is distinct from 'none'
            where premise_key || hypothesis_key in (select item_key from entail_pending)
            union
            select question_id, system from current_answer
            join guidance_pending using (answer_key)
        """,
        "conversations": statement("statements/comparing/between/unknown_conversations"),
        "criteria": statement("statements/comparing/between/unknown_criteria"),
        "judge": statement("statements/comparing/between/unknown_judge"),
    }
    found = {
        kind: {(row["question_id"], row["system"]) for row in warehouse.rows(query)}
        for kind, query in queries.items()
    }
    if warehouse.value("select count(*) from run_judge where run_id = ? and judge = 'evidence'", [BETWEEN]):
        found["judge"].update(*(found[kind] for kind in MARKED_BY))
    return found
