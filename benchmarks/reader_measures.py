"""What is measured of a reader: one line a measure and reader, in the column of what the reader has seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.reader_figures import Figure, auc, kappa, macro_f1, resampled, share
from benchmarks.reader_runs import STATE_OF, Prepared, Reader, states
from benchmarks.reader_sets import FIVE, LabelledSet, Seen

COLUMNS: tuple[Seen, ...] = ("seen", "other rows", "left out")


@dataclass(frozen=True)
class Line:
    """One figure of one reader."""

    measure: str
    reader: str
    column: Seen
    figure: Figure


def column_of(reader: Reader, seen: dict[str, Seen]) -> Seen:
    """Return the worst of what the reader's parts have seen; a reader that learnt nothing has seen nothing."""
    found = [seen[part] for part in reader.parts_of]
    return next((column for column in COLUMNS if column in found), "left out")


def of_pairs(reader: Reader, one: LabelledSet) -> Iterator[Line]:
    """Yield macro-F1 of a set; of ExpertQA how well P(entailment) orders its claims."""
    column = column_of(reader, one.seen)
    groups, gold = [p.group for p in one.pairs], [p.label for p in one.pairs]
    if one.name.startswith("expertqa"):
        scores = reader.probabilities(one.pairs)[:, 0]
        found = auc([label == "entailment" for label in gold], scores.tolist(), groups)
        yield Line(f"{one.name}: support, AUC", reader.name, column, found)
        return
    figure = macro_f1(gold, reader.labels(one.pairs), groups)
    yield Line(f"{one.name}: macro-F1, {len(gold)} of {one.n_all} pairs", reader.name, column, figure)


def mean_of_five(reader: Reader, sets: Sequence[LabelledSet]) -> Iterator[Line]:
    """Yield the mean macro-F1 of the five sets, resampled within each."""
    five = [one for one in sets if one.name in FIVE]
    if len(five) < len(FIVE):
        return
    gold = np.array([p.label for one in five for p in one.pairs])
    said = np.array([label for one in five for label in reader.labels(one.pairs)])
    of_set = np.array([one.name for one in five for _ in one.pairs])
    groups = [f"{one.name}/{p.group}" for one in five for p in one.pairs]

    def mean(rows: np.ndarray) -> float:
        values = []
        for name in FIVE:
            here = rows[of_set[rows] == name]
            labels = np.unique(gold[of_set == name])
            values.append(np.mean([_f1(gold[here] == label, said[here] == label) for label in labels]))
        return float(np.mean(values))

    yield Line(
        "five sets: mean macro-F1", reader.name, column_of(reader, five[0].seen), resampled(mean, groups)
    )


def _f1(gold: np.ndarray, said: np.ndarray) -> float:
    total = int(gold.sum() + said.sum())
    return 2 * int((gold & said).sum()) / total if total else 0.0


def of_inversions(reader: Reader, one: LabelledSet, answers: Sequence[Prepared]) -> Iterator[Line]:
    """Yield what becomes of true paraphrases and of their opposites, as states of nuggets."""
    column = column_of(reader, one.seen)
    found = [state for row in states(reader, answers) for state in row]
    true = [s for s, p in zip(found, one.pairs, strict=True) if p.label == "entailment"]
    turned = [s for s, p in zip(found, one.pairs, strict=True) if p.label == "contradiction"]
    yield Line(f"{one.name}: true ones covered", reader.name, column, share([s == "covered" for s in true]))
    yield Line(
        f"{one.name}: inversions contradicted",
        reader.name,
        column,
        share([s == "contradicted" for s in turned]),
    )
    yield Line(
        f"{one.name}: inversions called covered", reader.name, column, share([s == "covered" for s in turned])
    )
    if one.name == "inversions_dev":  # rows in pairs: a nugget's paraphrase, then its opposite
        says = reader.probabilities(one.pairs)[:, 0]
        order = (says[0::2] > says[1::2]).tolist()
        yield Line(f"{one.name}: order within a pair right", reader.name, column, share(order))


def of_beside(reader: Reader, one: LabelledSet, answers: Sequence[Prepared]) -> Iterator[Line]:
    """Yield how often another fact about the same subject is taken for a denial, and whether denials are still seen."""
    found = [state for row in states(reader, answers) for state in row]
    column = column_of(reader, one.seen)
    for label, name in (
        ("neutral", "another fact contradicted"),
        ("contradiction", "turned ones contradicted"),
    ):
        hits = [s == "contradicted" for s, p in zip(found, one.pairs, strict=True) if p.label == label]
        if hits:
            yield Line(f"{one.name}: {name}", reader.name, column, share(hits))


def of_subjects(
    reader: Reader, part: str, answers: Sequence[Prepared], seen: dict[str, Seen]
) -> Iterator[Line]:
    """Yield what becomes of nuggets whose subject stands in the question, without the question and with it."""
    column = column_of(reader, seen)
    unasked = [replace(one, answer=replace(one.answer, question="")) for one in answers]
    for with_it, asked in (("without the question", unasked), ("with it", answers)):
        found = [state for row in states(reader, asked) for state in row]
        for kind, name, wanted in (
            ("stated", "stated ones covered", ("covered",)),
            ("turned", "turned ones contradicted", ("contradicted",)),
            ("turned", "turned ones called covered", ("covered",)),
            ("silent", "silent ones decided", ("covered", "contradicted")),
            ("premise", "what only the question claims decided", ("covered", "contradicted")),
        ):
            hits = [s in wanted for s, one in zip(found, answers, strict=True) if one.answer.kinds[0] == kind]
            yield Line(
                f"subject in the question, {part}: {name}, {with_it}", reader.name, column, share(hits)
            )


def of_half_truths(reader: Reader, one: LabelledSet) -> Iterator[Line]:
    """Yield how many half-true claims, and how many of their true halves, are called supported."""
    column = column_of(reader, one.seen)
    labels = reader.labels(one.pairs)
    for kind, name in (("half true", "half-truths supported"), ("true half", "their true halves supported")):
        hits = [label == "entailment" for label, p in zip(labels, one.pairs, strict=True) if p.name == kind]
        yield Line(f"{one.name}: {name}", reader.name, column, share(hits))


def of_physicians(
    reader: Reader, name: str, answers: Sequence[Prepared], seen: dict[str, Seen]
) -> Iterator[Line]:
    """Yield κ of nugget states with the physicians' majority; `partial`, which they had no word for, is missing."""
    found = states(reader, answers)
    groups = [one.answer.group for one in answers for _ in one.answer.nuggets]
    truth = [STATE_OF[label] for one in answers for label in one.answer.labels]
    said = ["missing" if s == "partial" else s for row in found for s in row]
    yield Line(
        f"K-QA {name}: κ with physicians, {len(said)} labels",
        reader.name,
        column_of(reader, seen),
        kappa(truth, said, groups),
    )


def of_own_answers(reader: Reader, answers: Sequence[Prepared], seen: dict[str, Seen]) -> Iterator[Line]:
    """Yield what becomes of own, turned, foreign and half-true nuggets beside physicians' own answers."""
    column = column_of(reader, seen)
    kinds = [kind for one in answers for kind in one.answer.kinds]
    found = [state for row in states(reader, answers) for state in row]

    def line(what: str, kind: str, state: str) -> Line:
        hits = [s == state for s, k in zip(found, kinds, strict=True) if k == kind]
        return Line(f"K-QA physicians' own answers: {what}", reader.name, column, share(hits))

    yield line("true nuggets contradicted", "own", "contradicted")
    yield line("true nuggets covered", "own", "covered")
    yield line("turned nuggets contradicted", "turned", "contradicted")
    yield line("turned nuggets called covered", "turned", "covered")
    yield line("near nuggets of other questions covered (some are stated)", "foreign", "covered")
    yield line('true and near ones joined by "and" covered (some are stated)', "half", "covered")


def of_cost(reader: Reader, short: LabelledSet, answers: Sequence[Prepared]) -> Iterator[Line]:
    """Yield the processor seconds of a short pair, and of a long answer with all its nuggets."""
    before = reader.spent()
    reader.labels(short.pairs)
    between = reader.spent()
    states(reader, answers)
    after = reader.spent()
    n_nuggets = sum(len(one.answer.nuggets) for one in answers)
    yield Line(
        f"processor seconds a short pair ({short.name})",
        reader.name,
        "left out",
        Figure((between - before) / len(short.pairs)),
    )
    yield Line(
        f"processor seconds an answer (K-QA dev2, {n_nuggets / len(answers):.0f} nuggets each)",
        reader.name,
        "left out",
        Figure((after - between) / len(answers)),
    )


def table(lines: Sequence[Line]) -> list[str]:
    """Return a Markdown table: a row a measure and reader, a column a kind of having seen it."""
    made = ["| measure | reader | seen | other rows of the set seen | left out |", "|---|---|---|---|---|"]
    last = ""
    for line in sorted(lines, key=lambda row: [one.measure for one in lines].index(row.measure)):
        cells = [line.figure.text if line.column == column else "" for column in COLUMNS]
        made.append(
            f"| {line.measure if line.measure != last else ''} | {line.reader} | {' | '.join(cells)} |"
        )
        last = line.measure
    return made
