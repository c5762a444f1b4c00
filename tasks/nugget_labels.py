"""Our states of nuggets against physicians' labels of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import compress

import numpy as np

from models.statistics.estimate import Estimate
from sql.warehouse import Row, Warehouse
from tasks.among_people import AGREE, DIFFER
from tasks.stand_ins import HUMANS, agreement_row


@dataclass(frozen=True)
class Labels:
    """What physicians and we say of the same nuggets; `physicians` has one list a physician."""

    questions: list[str]
    ours: list[str]
    majority: list[str]
    physicians: list[list[str]]

    def where(self, chosen: list[bool]) -> "Labels":
        """Return only those of the nuggets that are chosen."""
        return Labels(
            list(compress(self.questions, chosen)),
            list(compress(self.ours, chosen)),
            list(compress(self.majority, chosen)),
            [list(compress(one, chosen)) for one in self.physicians],
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
    """Return the labelled nuggets of a run: a label each and their majority; without one, the nugget is left out."""
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
        join mart.nugget as nugget
            on nugget.run_id = $run_id and nugget.question_id = labels.question_id
        join text on text.text_key = nugget.text_key and trim(text.text) = trim(labels.item)
        join mart.nugget_state as state
            on state.run_id = $run_id and state.question_id = labels.question_id
            and state.system = labels.system and state.nugget_id = nugget.nugget_id
        order by labels.question_id, labels.system, labels.item
        """,
        {"run_id": run_id},
    )
    found = Labels([], [], [], [])
    physicians = max((len(row["labels"]) for row in rows), default=0)
    found.physicians.extend([] for _ in range(physicians))
    for row in rows:
        labels = [_LABELS.get(label.lower(), label.lower()) for label in row["labels"]]
        common = sorted(set(labels), key=labels.count)[-1]
        if len(labels) < physicians or 2 * labels.count(common) <= len(labels):
            continue
        found.questions.append(row["question_id"])
        found.ours.append(OUR_LABELS[row["state"]])
        found.majority.append(common)
        for place, label in enumerate(labels):
            found.physicians[place].append(label)
    return found


def of_nuggets(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure our states of nuggets against people's labels: covered is entailed, partial and missing are neutral.

    Also where physicians all say the same, and where only most of them do.
    """
    from models.statistics.alpha import krippendorff_alpha

    labels = nugget_labels(warehouse, run_id)
    if not labels.ours:
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
    """Yield Cohen's κ with the majority, beside the physicians' among themselves, and the share that is the same."""
    from models.statistics.bootstrap import bounds
    from models.statistics.kappa import cohen_kappa, mean_pairwise_kappa
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
    among = mean_pairwise_kappa(labels.physicians) if stratum == "all" else None
    for measure, estimate, more in (
        ("Cohen's κ", found, {"ceiling": among}),
        ("accuracy", share, {"baseline": common}),
    ):
        yield agreement_row(
            HUMAN_METRIC, "nugget_state", "nugget", measure, estimate, stratum=stratum, stands_in=True, **more
        )
