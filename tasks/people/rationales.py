"""Similarity of people's and judges' rationales to a reference author's."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medassay.models.keys import content_key
from medassay.models.rationales.bertscore import Likeness
from medassay.sql.snapshot import publish
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.people.human_scores import agreement_row
from medassay.tasks.progress import watcher
from medassay.tasks.run import RunRef, home_lock

HUMAN_METRIC = "rationale"
REFERENCE = "reference"


def score_rationales(
    home: Path, run_id: str, reference: str, bertscore: str, bartscore: str, *, wait: bool = True
) -> int:
    """Score every rationale of the run's answers against the reference author's; publish, and return how many.

    Rationales are those of the data set's `rationales.*` and the justifications of the run's judges. What an earlier
    run scored with the same model and the same words is taken from there. No model is loaded for nothing.
    """
    from medassay.models.rationales.loading import load_bartscore, load_bertscore

    with home_lock(home, run_id, wait=wait):
        warehouse = RunRef(str(home), run_id).warehouse
        pairs = rationale_pairs(warehouse, run_id, reference)
        if pairs is None:
            return 0
        found: list[Row] = []
        for load, spec in ((load_bertscore, bertscore), (load_bartscore, bartscore)):
            likeness = load(spec) if pairs else None
            if likeness is not None:
                found += scored(warehouse, likeness, pairs)
        frozen = {"run_id": run_id, "reference_author": reference}
        with warehouse.transaction():
            warehouse.execute("delete from mart.rationale_score where run_id = ?", [run_id])
            warehouse.execute(
                "delete from mart.agreement where run_id = ? and human_metric = ?", [run_id, HUMAN_METRIC]
            )
            kept = ({name: value for name, value in row.items() if name != "cut"} for row in found)
            warehouse.append("mart.rationale_score", [{**frozen, **row} for row in kept])
            rows = [*means(found, reference), *nothing_in_common(warehouse, run_id, reference, pairs)]
            warehouse.append("mart.agreement", [{"run_id": run_id, **row} for row in rows])
        publish(warehouse, home, run_id)
    return len(pairs)


def rationale_pairs(warehouse: Warehouse, run_id: str, reference: str) -> list[Row] | None:
    """Return every rationale beside the reference author's of the same answer; None where there are no rationales.

    Of an author who stands in the data and judged in the run, the data's words count.
    """
    if not warehouse.value(
        "select count(*) from rationale semi join run on run.run_id = ? and run.dataset = rationale.dataset",
        [run_id],
    ):
        return None
    rows = warehouse.rows(
        statement("statements/people/rationales/rationale_pairs"), {"run_id": run_id, "reference": reference}
    )
    return [{**row, "pair_key": content_key([row["rationale"], row["reference"]])} for row in rows]


def scored(warehouse: Warehouse, likeness: Likeness, pairs: Sequence[Row]) -> list[Row]:
    """Score what no run has scored with this model yet, each pair once; `cut` where one of its texts is too long."""
    fingerprint = content_key(likeness.fingerprint)
    known: dict[tuple[str, str], float] = {
        (row["pair_key"], row["measure"]): row["value"]
        for row in warehouse.rows(
            "select distinct pair_key, measure, value from mart.rationale_score where fingerprint = ?",
            [fingerprint],
        )
    }
    new = {row["pair_key"]: row for row in pairs if (row["pair_key"], likeness.measures[0]) not in known}
    name = str(likeness.fingerprint["measure"])
    watcher().begin(name, len(pairs), len(new))
    values = likeness.score([(row["rationale"], row["reference"]) for row in new.values()])
    for key, numbers in zip(new, values, strict=True):
        known.update(
            {(key, measure): value for measure, value in zip(likeness.measures, numbers, strict=True)}
        )
    watcher().end(name, "")
    texts = {text for row in pairs for text in (row["rationale"], row["reference"])}
    cut = {text for text in texts if likeness.is_cut(text)}
    return [
        {
            **{name: row[name] for name in ("question_id", "system", "author", "sample_no", "pair_key")},
            "measure": measure,
            "model": likeness.fingerprint["model"],
            "fingerprint": fingerprint,
            "value": known[row["pair_key"], measure],
            "cut": row["rationale"] in cut or row["reference"] in cut,
        }
        for row in pairs
        for measure in likeness.measures
    ]


def means(rows: Sequence[Row], reference: str) -> list[Row]:
    """Return each author's mean by measure: samples are averaged first, then answers, then questions."""
    import numpy as np

    from medassay.models.statistics.bootstrap import Estimate, mean_interval

    groups: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}
    n_cut: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        n_cut[row["author"], row["measure"], row["model"]] += row["cut"]
        group = groups.setdefault((row["author"], row["measure"], row["model"]), {})
        group.setdefault(row["question_id"], {}).setdefault(row["system"], []).append(row["value"])
    found: list[Row] = []
    for (author, measure, model), questions in sorted(groups.items()):
        answers = [values for systems in questions.values() for values in systems.values()]
        by_question = [
            float(np.mean([np.mean(v) for v in systems.values()])) for systems in questions.values()
        ]
        interval = mean_interval(by_question)
        repeated = [np.std(values, ddof=1) for values in answers if len(values) > 1]
        said = [f"against {reference}, by {model}"]
        if n := n_cut[author, measure, model]:
            said.append(
                f"{n} pairs hold a text that is longer than the model's window, of which only the beginning counts"
            )
        if repeated:
            said.append(f"repeats spread by {np.mean(repeated):.3f}")
        said += [interval.reason] if interval.reason else []
        estimate = Estimate(interval.value, interval.low, interval.high, len(answers), "; ".join(said))
        found.append(row_of(author, measure, estimate))
    return found


def nothing_in_common(warehouse: Warehouse, run_id: str, reference: str, pairs: Sequence[Row]) -> list[Row]:
    """Return a row that says why there is no score, where there is none."""
    from medassay.models.statistics.bootstrap import Estimate

    if pairs:
        return []
    authors = [
        str(row["author"])
        for row in warehouse.rows(
            "select distinct author from rationale semi join run on run.run_id = ? and run.dataset ="
            " rationale.dataset order by author",
            [run_id],
        )
    ]
    why = (
        f"nobody else gives a rationale of an answer that {reference} gives one of"
        if reference in authors
        else f"no rationale is by {reference}: name one of {', '.join(authors)} with --reference"
    )
    return [row_of("rationales", "BERTScore F1", Estimate(None, None, None, 0, why))]


def row_of(author: str, measure: str, found: Any) -> Row:
    """Build a row of the agreement mart."""
    return agreement_row(HUMAN_METRIC, author, "evaluation", measure, found, stands_in=True)
