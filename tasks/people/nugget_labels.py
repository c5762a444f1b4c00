"""Our states of nuggets against physicians' labels of them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from models.statistics.estimate import Estimate
from sql.warehouse import Row, Warehouse
from tasks.people.among_people import AGREE, DIFFER
from tasks.people.stand_ins import HUMANS, agreement_row


@dataclass(frozen=True)
class Labels:
    """What physicians and we say of the same nuggets; `physicians` has one list a physician."""

    questions: list[str]
    ours: list[str]
    majority: list[str]
    physicians: list[list[str]]
    left_out: str | None = None

    def where(self, chosen: list[bool]) -> "Labels":
        """Return only those of the nuggets that are chosen."""
        return Labels(
            list(compress(self.questions, chosen)),
            list(compress(self.ours, chosen)),
            list(compress(self.majority, chosen)),
            [list(compress(one, chosen)) for one in self.physicians],
            self.left_out,
        )


HUMAN_METRIC = "nugget_label"
OUR_LABELS = {
    "covered": "entailed",
    "contradicted": "contradicted",
    "partial": "neutral",
    "missing": "neutral",
}
_LABELS = {"entailment": "entailed", "contradiction": "contradicted", "contradictory": "contradicted"}


def nugget_labels(warehouse: Warehouse, run_id: str) -> Labels:
    """Return the labelled nuggets of a run: a label each and their majority; without one, the nugget is left out.

    So is a labelled nugget that the run does not have; `left_out` says how many of each.
    """
    rows = warehouse.rows(
        """
        with labels as (
            select question_id, system, item, list(label order by annotator) as labels
            from human_score
            where dataset = (select dataset from run where run_id = $run_id)
                and target = 'nugget' and label is not null
            group by question_id, system, item
        )
        select labels.question_id, labels.labels, state.state
        from labels
        left join (
            select nugget.question_id, nugget.nugget_id, trim(text.text) as item
            from mart.nugget as nugget
            join text using (text_key)
            where nugget.run_id = $run_id
        ) as nugget
            on nugget.question_id = labels.question_id and nugget.item = trim(labels.item)
        left join mart.nugget_state as state
            on state.run_id = $run_id and state.question_id = labels.question_id
            and state.system = labels.system and state.nugget_id = nugget.nugget_id
        order by labels.question_id, labels.system, labels.item
        """,
        {"run_id": run_id},
    )
    found = Labels([], [], [], [])
    physicians = max((len(row["labels"]) for row in rows), default=0)
    found.physicians.extend([] for _ in range(physicians))
    n_absent = n_undecided = 0
    for row in rows:
        if row["state"] is None:
            n_absent += 1
            continue
        labels = [_LABELS.get(label.lower(), label.lower()) for label in row["labels"]]
        common = sorted(set(labels), key=labels.count)[-1]
        if len(labels) < physicians or 2 * labels.count(common) <= len(labels):
            n_undecided += 1
            continue
        found.questions.append(row["question_id"])
        found.ours.append(OUR_LABELS[row["state"]])
        found.majority.append(common)
        for place, label in enumerate(labels):
            found.physicians[place].append(label)
    left_out = [
        f"{n} labelled nuggets {why}"
        for n, why in ((n_absent, "are not of this run"), (n_undecided, "have no majority of all physicians"))
        if n
    ]
    return replace(found, left_out=" and ".join(left_out) or None)


def of_nuggets(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure our states of nuggets against people's labels: covered is entailed, partial and missing are neutral.

    Also where physicians all say the same, and where only most of them do.
    """
    from models.statistics.alpha import krippendorff_alpha

    labels = nugget_labels(warehouse, run_id)
    if not labels.ours:
        if labels.left_out:
            none = Estimate(None, None, None, 0, labels.left_out)
            yield agreement_row(HUMAN_METRIC, "nugget_state", "nugget", "labels", none, stands_in=True)
        return
    yield from of_labels(labels, "all")
    if len(labels.physicians) < 2:
        return
    alike = [len(set(said)) == 1 for said in zip(*labels.physicians, strict=True)]
    if any(alike) and not all(alike):
        yield from of_labels(labels.where(alike), AGREE)
        yield from of_labels(labels.where([not same for same in alike]), DIFFER)
    values = {label: n for n, label in enumerate(sorted({v for one in labels.physicians for v in one}))}
    ratings = [[values[label] for label in one] for one in labels.physicians]
    alpha = krippendorff_alpha(ratings, "nominal")
    yield agreement_row(HUMAN_METRIC, HUMANS, "nugget", "Krippendorff's α", alpha)


def of_labels(labels: Labels, stratum: str) -> Iterator[Row]:
    """Yield Cohen's κ with the majority and with one physician, this beside theirs with each other, and the share.

    The majority has less noise than any of them, so that only single physicians are a fair neighbour.
    """
    from models.statistics.bootstrap import bounds
    from models.statistics.kappa import cohen_kappa, mean_kappa, mean_pairwise_kappa
    from models.statistics.seeds import seed_of

    found = cohen_kappa(labels.ours, labels.majority, labels.questions)
    same = np.array([a == b for a, b in zip(labels.ours, labels.majority, strict=True)], dtype=np.float64)
    own = {question: n for n, question in enumerate(dict.fromkeys(labels.questions))}
    of_question = np.array([own[question] for question in labels.questions])
    right, asked = np.bincount(of_question, same), np.bincount(of_question).astype(np.float64)
    interval = bounds(lambda drawn: (drawn @ right) / (drawn @ asked), len(own), seed_of(right, asked))
    common = max(labels.majority.count(label) for label in set(labels.majority)) / len(same)
    said = "; ".join(filter(None, ("the baseline is always the commonest label", interval.reason)))
    share = Estimate(float(same.mean()), interval.low, interval.high, len(same), said)
    measured: list[tuple[str, Estimate, dict[str, float | None]]] = [
        ("Cohen's κ", found, {}),
        ("accuracy", share, {"baseline": common}),
    ]
    if stratum == "all" and len(labels.physicians) > 1:
        single = mean_kappa(labels.ours, labels.physicians, labels.questions)
        measured.insert(
            1, ("Cohen's κ with one physician", single, {"ceiling": mean_pairwise_kappa(labels.physicians)})
        )
    for measure, estimate, more in measured:
        reasons = [estimate.reason, labels.left_out if stratum == "all" else None]
        row = agreement_row(
            HUMAN_METRIC, "nugget_state", "nugget", measure, estimate, stratum=stratum, stands_in=True
        )
        yield {**row, **more, "reason": "; ".join(reason for reason in reasons if reason) or None}
