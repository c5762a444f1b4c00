"""Agreement of nugget states with physicians' labels."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from medassay.models.counting import counted
from medassay.models.people.labels import (
    MET,
    NOT_MET,
    LabelledItem,
    in_one_vocabulary,
    label_of,
    other_words,
    our_state,
)
from medassay.models.statistics.bootstrap import Estimate
from medassay.sql.warehouse import Row, Warehouse, statement
from medassay.tasks.people.among_people import AGREE, DIFFER, alpha_among
from medassay.tasks.people.human_scores import HUMANS, agreement_row, measured


@dataclass(frozen=True)
class Labelled:
    """What is labelled: the human metric, ours, and the level."""

    human_metric: str
    metric: str
    level: LabelledItem


NUGGETS = Labelled("nugget_label", "nugget_state", "nugget")


@dataclass(frozen=True)
class Labels:
    """What physicians and we say of the same nuggets or criteria, and how many of those labelled the run does not have.

    `physicians` has one list a physician, None where one said nothing; `majority` is None where most of all did not
    say the same. `words` says which words of theirs were read as which label, where they are not ours; `n_unknown`
    counts the labels that are in none of the known words.
    """

    questions: list[str]
    ours: list[str]
    majority: list[str | None]
    physicians: list[list[str | None]]
    n_absent: int = 0
    kind: Labelled = NUGGETS
    words: str | None = None
    n_unknown: int = 0

    def where(self, chosen: list[bool]) -> "Labels":
        """Return only those of the nuggets that are chosen."""
        return replace(
            self,
            questions=list(compress(self.questions, chosen)),
            ours=list(compress(self.ours, chosen)),
            majority=list(compress(self.majority, chosen)),
            physicians=[list(compress(one, chosen)) for one in self.physicians],
        )

    def said(self) -> list[list[str]]:
        """Return the labels of each nugget."""
        by_nugget = zip(*self.physicians, strict=True)
        return [[label for label in labels if label is not None] for labels in by_nugget]


def nugget_labels(warehouse: Warehouse, run_id: str) -> Labels:
    """Return the nuggets of a run that people labelled, where agreement is measured."""
    rows = measured(
        warehouse.rows(statement("statements/people/nugget_labels/nugget_labels"), {"run_id": run_id})
    )
    return gathered(rows, NUGGETS)


def gathered(rows: list[Row], kind: Labelled) -> Labels:
    """Lay rows of (question_id, annotators, labels, state) out by physician, theirs and ours in the same words.

    Args:
        rows: one a labelled item; `state` is ours, NULL where the run does not have the item.
        kind: what is labelled.
    """
    names = sorted({name for row in rows for name in row["annotators"]})
    words = [label for row in rows for label in row["labels"]]
    known = {word: label for word in words if (label := label_of(kind.level, word))}
    beside = in_one_vocabulary(known.values())
    most = max((sum(label in known for label in row["labels"]) for row in rows), default=0)
    present = [row for row in rows if row["state"] is not None]
    found = Labels(
        [], [], [], [[] for _ in names],
        n_absent=len(rows) - len(present),
        kind=kind,
        words=other_words(kind.level, words),
        n_unknown=sum(label not in known for label in words),
    )  # fmt: skip
    for row in present:
        said = zip(row["annotators"], row["labels"], strict=True)
        by_name = {name: beside[known[word]] for name, word in said if word in known}
        if not by_name:
            continue
        found.questions.append(row["question_id"])
        found.ours.append(_in_their_words(kind, row["state"], known.values()))
        found.majority.append(majority_of(list(by_name.values()), most))
        for name, one in zip(names, found.physicians, strict=True):
            one.append(by_name.get(name))
    return found


def _in_their_words(kind: Labelled, state: str, labels: Iterable[str]) -> str:
    if kind.level == "criterion":
        return MET if state == "true" else NOT_MET
    return our_state(state, labels)


def majority_of(labels: list[str], n_physicians: int) -> str | None:
    """Return what more than half say, where as many spoke as of any nugget."""
    common = max(sorted(set(labels)), key=labels.count)
    return common if len(labels) == n_physicians and 2 * labels.count(common) > n_physicians else None


def of_nuggets(warehouse: Warehouse, run_id: str) -> Iterator[Row]:
    """Measure our states of nuggets against people's labels, in the words that these tell apart."""
    return of_labels(nugget_labels(warehouse, run_id))


def of_labels(labels: Labels) -> Iterator[Row]:
    """Measure our labels of nuggets or criteria against people's.

    With their majority, also where physicians all say the same, and where only most of them do; and with single
    physicians, as they are with each other, over all that two or more labelled.
    """
    if not labels.ours and not labels.n_absent:
        return
    decided = labels.where([label is not None for label in labels.majority])
    left_out = left_out_of(labels, decided, "have no majority of all physicians")
    if decided.ours:
        yield from of_majority(decided, "all", left_out)
    else:
        none = Estimate(None, None, None, 0, left_out)
        yield row_of(labels.kind, labels.kind.metric, "labels", none, None)
    alike = [len(set(said)) == 1 for said in decided.said()]
    if any(alike) and not all(alike):
        yield from of_majority(decided.where(alike), AGREE)
        yield from of_majority(decided.where([not same for same in alike]), DIFFER)
    shared = labels.where([len(said) > 1 for said in labels.said()])
    if shared.ours:
        yield from of_physicians(shared, left_out_of(labels, shared, "are labelled by one physician alone"))


def left_out_of(labels: Labels, kept: Labels, why: str) -> str | None:
    """Return how many labelled nuggets are not among those that are kept, and why."""
    counts = ((labels.n_absent, "are not of this run"), (len(labels.ours) - len(kept.ours), why))
    items = {"nugget": "nuggets", "criterion": "criteria"}[labels.kind.level]
    unknown = (
        f"{counted(labels.n_unknown, 'label')} in words that are not known here" if labels.n_unknown else None
    )
    left_out = [unknown, *(f"{n} labelled {items} {reason}" for n, reason in counts if n)]
    return "; ".join(filter(None, (labels.words, " and ".join(filter(None, left_out))))) or None


def of_majority(labels: Labels, stratum: str, left_out: str | None = None) -> Iterator[Row]:
    """Yield Cohen's κ with the majority, and the share of nuggets of which we say the same."""
    from medassay.models.statistics.bootstrap import bounds, seed_of
    from medassay.models.statistics.kappa import cohen_kappa, macro_f1

    found = cohen_kappa(labels.ours, labels.majority, labels.questions)
    same = np.array([a == b for a, b in zip(labels.ours, labels.majority, strict=True)], dtype=np.float64)
    own = {question: n for n, question in enumerate(dict.fromkeys(labels.questions))}
    of_question = np.array([own[question] for question in labels.questions])
    right, asked = np.bincount(of_question, same), np.bincount(of_question).astype(np.float64)
    interval = bounds(lambda drawn: (drawn @ right) / (drawn @ asked), len(own), seed_of(right, asked))
    common = max(labels.majority.count(label) for label in set(labels.majority)) / len(same)
    said = "; ".join(filter(None, ("the baseline is always the commonest label", interval.reason)))
    share = Estimate(float(same.mean()), interval.low, interval.high, len(same), said)
    yield row_of(labels.kind, labels.kind.metric, "Cohen's κ", found, left_out, stratum=stratum)
    if labels.kind.level == "criterion":
        macro = macro_f1(labels.ours, [labels.majority], labels.questions)
        yield row_of(labels.kind, labels.kind.metric, "macro-F1", macro, left_out, stratum=stratum)
    yield row_of(
        labels.kind, labels.kind.metric, "accuracy", share, left_out, stratum=stratum, baseline=common
    )


def of_physicians(labels: Labels, left_out: str | None) -> Iterator[Row]:
    """Yield Cohen's κ with one physician beside theirs with each other, and their Krippendorff's α.

    The majority has less noise than any of them, so that only single physicians are a fair neighbour.
    """
    from medassay.models.statistics.kappa import macro_f1, mean_kappa, mean_pairwise_kappa, pairwise_macro_f1

    single = mean_kappa(labels.ours, labels.physicians, labels.questions)
    ceiling = mean_pairwise_kappa(labels.physicians)
    yield row_of(
        labels.kind, labels.kind.metric, "Cohen's κ with one physician", single, left_out, ceiling=ceiling
    )
    if labels.kind.level == "criterion":
        macro, among = (
            macro_f1(labels.ours, labels.physicians, labels.questions),
            pairwise_macro_f1(labels.physicians),
        )
        yield row_of(
            labels.kind, labels.kind.metric, "macro-F1 with one physician", macro, left_out, ceiling=among
        )
    values = {label: n for n, label in enumerate(sorted({v for said in labels.said() for v in said}))}
    ratings = np.array(
        [[np.nan if label is None else values[label] for label in one] for one in labels.physicians]
    )
    yield row_of(labels.kind, HUMANS, "Krippendorff's α", alpha_among(ratings, "nominal"), left_out)


def row_of(
    kind: Labelled,
    metric: str,
    measure: str,
    found: Estimate,
    left_out: str | None,
    **more: float | str | None,
) -> Row:
    """Build a row of the agreement mart that says what was left out."""
    reasons = [found.reason, left_out]
    row = agreement_row(kind.human_metric, metric, kind.level, measure, found, stands_in=True)
    return {**row, **more, "reason": "; ".join(reason for reason in reasons if reason) or None}
