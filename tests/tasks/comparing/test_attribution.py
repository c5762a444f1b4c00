"""What changed a score between two runs: every part computed without a model, and all parts adding up."""

import json
from pathlib import Path
from typing import Any

import pytest

from medassay.models.attribution import changed_factors, factor_of, mixed_specs, parts_of
from medassay.models.keys import content_key
from medassay.models.nli.encoder.embedded import encoder_is_here
from medassay.models.settings import Settings
from medassay.models.usage import UsageError
from medassay.models.weights import ModelMissing, ensure
from medassay.sql.warehouse import Warehouse
from medassay.tasks.aggregate import aggregate
from medassay.tasks.comparing.attribution import Diff, diff_runs
from medassay.tasks.judging.panel import pin_members
from medassay.tasks.pipeline import IN_PROCESS, evaluate
from medassay.tasks.stages.decompose import decompose
from medassay.tasks.stages.embed import embed
from medassay.tasks.stages.entail import entail
from medassay.tasks.stages.fetch import fetch
from medassay.tasks.stages.joint import joint
from medassay.tasks.stages.judge import brief, judge
from medassay.tasks.stages.match import match
from medassay.tasks.stages.nuggets import nuggets
from medassay.tasks.stages.order import FACTORS
from medassay.tasks.stages.shortlist import shortlist
from tests.rows import write_tables
from tests.runs import read_in

FIRST = "Rest helps a sprained ankle [1]."
SECOND = "Rest helps a sprained ankle [1]. Ice lowers the swelling of an ankle."


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that writes a data set with this answer to each of two questions."""
    try:
        ensure("all-MiniLM-L6-v2")
    except ModelMissing as missing:
        pytest.skip(str(missing))

    folder = tmp_path_factory.mktemp("data") / "ankles"

    def written(answer: str) -> Path:
        nuggets = [
            {"text": "Rest helps a sprained ankle", "importance": "vital"},
            {"text": "Ice lowers the swelling of an ankle", "importance": "okay"},
        ]
        questions = [
            {"question_id": q, "question": f"{q}: what helps a sprained ankle?", "nuggets": nuggets}
            for q in ("q1", "q2")
        ]
        answers = [{"question_id": q, "system": "s", "answer": answer} for q in ("q1", "q2")]
        return write_tables(folder, questions=questions, answers=answers)

    return written


def evaluated(home: Path, folder: Path, name: str, **chosen: Any) -> None:
    """Evaluate without Prefect; nothing is fetched."""
    plain = {"reader": "none", "matcher": "cosine", "judge": "none", "offline": True, "run_name": name}
    with read_in(home, Settings(str(folder), **{**plain, **chosen})) as run:
        decompose.run(run)
        nuggets.run(run)
        embed.run(run)
        for stage in (fetch, entail, joint):
            stage.pin(run)
        shortlist.run(run)
        if run.settings.reader != "none":
            entail.run(run)
        match.run(run)
        if chosen.get("judge", "none") == "none":
            IN_PROCESS.run_stage(judge, run)
        else:
            brief(run)
            pin_members(run)
            judge.run(run)
        aggregate(run)


@pytest.fixture(scope="module")
def runs(shared_home: Path, data: Any) -> Path:
    """Return a home with runs that differ from `plain` in what they are named by."""
    evaluated(shared_home, data(FIRST), "plain")
    evaluated(shared_home, data(FIRST), "cut-offs", supports_at=0.8, contradicts_at=0.7)
    evaluated(shared_home, data(FIRST), "knees", dataset="knees")
    evaluated(shared_home, data(SECOND), "longer")
    evaluated(shared_home, data(SECOND), "trec", profile="trec")
    return shared_home


def only(found: Diff, metric: str) -> dict[str, Any]:
    rows = [row for row in found.changed if row["metric"] == metric]
    assert len(rows) == 2
    return rows[0]


def adds_up(found: Diff) -> bool:
    return all(
        abs(sum(part or 0.0 for part in row["parts"].values()) + row["interaction"] - row["difference"])
        < 1e-12
        for row in found.changed
        if row["difference"] is not None
    )


def test_one_factor_has_it_all(runs: Path) -> None:
    found = diff_runs(runs, "plain", "longer")
    coverage = only(found, "nugget_coverage")
    assert found.factors == ("answer",)
    assert (coverage["before"], coverage["after"], coverage["parts"], coverage["interaction"]) == (
        0.5,
        1.0,
        {"answer": 0.5},
        0.0,
    )
    assert adds_up(found)
    quick = diff_runs(runs, "plain", "longer", attributed=False)
    assert quick.factors == ("answer",)
    kept = ("question_id", "system", "metric", "before", "after", "difference")
    assert [[row[name] for name in kept] for row in quick.changed] == [
        [row[name] for name in kept] for row in found.changed
    ]
    assert {str(row["parts"]) for row in quick.changed} == {"{}"}
    same = diff_runs(runs, "plain", "plain")
    assert (same.factors, same.changed) == ((), ())
    narrow = diff_runs(runs, "plain", "longer", ["nugget_coverage"], [coverage["system"]])
    assert {row["metric"] for row in narrow.changed} == {"nugget_coverage"}
    with pytest.raises(UsageError, match="no metric 'coverge' in either run; there are: .*nugget_coverage"):
        diff_runs(runs, "plain", "longer", ["coverge"])
    with pytest.raises(UsageError, match="no system 'nobody' in either run; there are: "):
        diff_runs(runs, "plain", "longer", systems=["nobody"])


def test_texts_that_an_answer_carries_come_with_it(home: Path, tmp_path: Path) -> None:
    """A changed answer that cites the same record of its own: its scores were laid to the formulas."""
    if not encoder_is_here():
        pytest.skip("the encoder is not here")
    carried = [{"marker": "1", "title": "Ankles", "content": "Rest helps a sprained ankle. Heat harms it."}]
    for name, answer in (
        ("right", "Rest helps a sprained ankle [1]."),
        ("turned", "Rest harms a sprained ankle [1]."),
    ):
        folder = write_tables(
            tmp_path / "carried",
            questions=[{"question_id": "q1", "question": "What helps?", "nuggets": ["Rest helps a sprained ankle"]}],
            answers=[{"question_id": "q1", "system": "s", "answer": answer, "references": carried}],
        )  # fmt: skip
        evaluate(home, Settings(str(folder), reader="encoder", judge="evidence", offline=True, run_name=name))
    found = diff_runs(home, "right", "turned")
    whole = {row["metric"]: (row["parts"], row["interaction"]) for row in found.changed if row["difference"]}
    assert whole["citation_precision"] == whole["citation_precision_low"] == ({"answer": -1.0}, 0.0)
    assert {"citation_recall", "rubric_score"} < whole.keys()
    assert all(parts.keys() == {"answer"} and rest == 0 for parts, rest in whole.values())


def test_cut_offs_chosen_otherwise_are_named(runs: Path) -> None:
    found = diff_runs(runs, "plain", "cut-offs")
    assert (found.factors, found.choices) == (
        ("weights",),
        {"supports_at": (0.5, 0.8), "contradicts_at": (0.5, 0.7)},
    )


def test_a_profile_is_substituted_without_any_model(runs: Path) -> None:
    found = diff_runs(runs, "plain", "trec")
    completeness = only(found, "completeness")
    # The longer answer aligns both nuggets; of the vital one alone, all was covered before.
    assert found.factors == ("answer", "profile")
    assert (completeness["before"], completeness["after"]) == (0.5, 1.0)
    assert completeness["parts"] == {"answer": 0.5, "profile": 0.0}
    gone = only(found, "precision")
    assert (gone["after"], gone["difference"], gone["by"]) == (None, None, "profile")
    assert gone["reason"] == "the trec profile does not define it"


@pytest.mark.slow
def test_what_would_need_a_judge_is_not_computed_until_somebody_asked_it(
    home: Path, warehouse: Warehouse, data: Any, judge_server: Any
) -> None:
    judges = [f"{judge_server.base_url}#{name}" for name in ("j1", "j2")]
    marks = {"j1": 40, "j2": 60}

    def verdict(body: dict[str, Any]) -> dict[str, Any]:
        mark = marks[body["model"]] + (10 if "swelling" in json.dumps(body["messages"]) else 0)
        names = ("medical_correctness", "response_alignment", "safety")
        return {
            **dict.fromkeys(names, mark),
            "evidence_sufficiency": 0,
            "overall_justification": "Read. So it is.",
        }

    judge_server.behaviour.verdict = verdict
    evaluated(home, data(FIRST), "a", judge=judges[0])
    evaluated(home, data(SECOND), "b", judge=judges[1])
    n_calls = len(judge_server.bodies)
    unknown = diff_runs(home, "a", "b")
    safety = only(unknown, "safety")
    assert unknown.factors == ("answer", "judge")
    assert (safety["difference"], safety["parts"], safety["interaction"]) == (
        30.0,
        {"answer": None, "judge": None},
        30.0,
    )
    assert only(unknown, "nugget_coverage")["parts"] == {"answer": 0.5, "judge": 0.0}
    evaluated(home, data(SECOND), "c", judge=judges[0])
    n_asked = len(judge_server.bodies)
    known = diff_runs(home, "a", "b")
    assert only(known, "safety")["parts"] == {"answer": 10.0, "judge": 20.0}
    assert only(known, "safety")["interaction"] == 0.0
    assert (n_asked - n_calls, len(judge_server.bodies)) == (2, n_asked)
    assert adds_up(unknown) and adds_up(known)
    # Nothing of what stood in between is left.
    for table in ("run", "run_stage", "run_answer", "mart.score"):
        assert warehouse.value(f"select count(*) from {table} where run_id = 'between'") == 0


@pytest.mark.slow
def test_embedder_matcher_and_threshold_changed_together_are_told_apart(home: Path, data: Any) -> None:
    folder = data(SECOND)  # skips where the embedder is not here
    other = f"hf:{ensure('all-MiniLM-L6-v2')}"
    if not encoder_is_here():
        pytest.skip("all-mpnet-base-v2 is not pulled: medassay models pull all-mpnet-base-v2")
    evaluated(home, folder, "one", matcher="cosine", threshold=0.999, reader="embedded")
    evaluated(home, folder, "two", matcher="combined", threshold=0.7, reader="embedded", embedder=other)
    found = diff_runs(home, "one", "two")
    coverage = only(found, "nugget_coverage")
    assert found.factors == ("embedding model", "matcher", "threshold")
    assert (coverage["before"], coverage["after"]) == (0.0, 1.0)
    assert tuple(coverage["parts"]) == found.factors
    assert None not in coverage["parts"].values()
    assert adds_up(found)


def test_two_data_sets_are_not_held_against_each_other(runs: Path) -> None:
    with pytest.raises(
        UsageError, match="is of ankles, run .* of knees: name two runs of one data set .*--dataset$"
    ):
        diff_runs(runs, "plain", "knees")
    with pytest.raises(UsageError, match="^no finished run 'three' in this home"):
        diff_runs(runs, "plain", "three")


def test_entries_that_follow_an_earlier_stage_are_substituted_with_it() -> None:
    def specs(embedder: str, threshold: float, version: int) -> dict[str, Any]:
        embed_spec = {"name": embedder}
        return {
            "embed": embed_spec,
            "match": {"threshold": threshold, "embedder": content_key(embed_spec), "stage_version": version},
        }

    a, b = specs("small", 0.7, 1), specs("large", 0.8, 2)
    assert changed_factors(a, b, FACTORS) == {"embedding model", "threshold", "stage version"}
    assert changed_factors(a, specs("large", 0.7, 1), FACTORS) == {"embedding model"}
    assert mixed_specs(a, b, frozenset({"embedding model"}), FACTORS) == specs("large", 0.7, 1)
    assert mixed_specs(a, b, frozenset({"threshold", "stage version"}), FACTORS) == specs("small", 0.8, 2)
    cosine, reader = (
        {
            "shortlist": {"matcher": name, "floor": floor, "size": size},
            "match": {"matcher": name, "threshold": floor},
        }
        for name, floor, size in (("cosine", 0.75, 3), ("reader", 0.45, 2))
    )
    assert changed_factors(cosine, reader, FACTORS) == {"matcher", "threshold"}
    assert mixed_specs(cosine, reader, frozenset({"matcher", "threshold"}), FACTORS) == reader
    read, other = ({"entail": {"model": "m", "reading": {"caution": caution}}} for caution in (0.1, 0.2))
    assert changed_factors(read, other, FACTORS) == {"entailment model"}
    assert mixed_specs(read, other, frozenset({"entailment model"}), FACTORS) == other
    assert [factor_of("judge", key, FACTORS) for key in ("prompt_digest", "model", "stage_version")] == [
        "prompt",
        "judge",
        "stage version",
    ]


@pytest.mark.parametrize(
    ("values", "parts", "remainder"),
    [
        ([0.1, 0.4, 0.9], {"answer": 0.3, "judge": 0.5}, 0.0),
        ([0.1, None, 0.9], {"answer": None, "judge": None}, 0.8),
        ([0.2, 0.4, 0.8], {"answer": 0.2, "judge": 0.4, "formulas": 0.2}, 0.0),
    ],
)
def test_parts_add_up(values: list[float | None], parts: dict[str, float | None], remainder: float) -> None:
    found = parts_of(("answer", "judge"), values, 0.1, 0.9)
    assert {name: part if part is None else round(part, 12) for name, part in found.parts.items()} == parts
    assert found.remainder == pytest.approx(remainder, abs=1e-12)
