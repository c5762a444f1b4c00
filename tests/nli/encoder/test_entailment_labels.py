from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from medassay.models.nli.known_answers import KNOWN, passing
from medassay.models.nli.labels import LabelOrder, SelfTestFailed, UnknownLabels, read_label_order
from medassay.models.records import PairVerdict

UNNAMED = {0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}
SCINLI = {0: "entailment", 1: "reasoning", 2: "contrasting", 3: "neutral"}


class Knowing:
    """A checkpoint that gives the right answer in its own columns: `columns[label]` is where it says a label."""

    fingerprint: dict[str, Any] = {}
    pairs_at_once = 128

    def __init__(self, order: LabelOrder, columns: Sequence[int]) -> None:
        self.order, self.columns = order, columns

    def score(self, pairs: Sequence[tuple[str, str]], on_progress: object = None) -> list[PairVerdict]:
        gold = {(premise, hypothesis): label for premise, hypothesis, label in KNOWN}
        said = np.full((len(pairs), len(self.order.columns)), 0.1, dtype=np.float32)
        for row, pair in zip(said, pairs, strict=True):
            row[self.columns[gold[pair]]] = 0.8
        return [PairVerdict(*map(float, row)) for row in self.order.fold(said)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("entailment", "neutral", "contradiction"), LabelOrder((0, 1, 2), "three-way")),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), LabelOrder((2, 1, 0), "three-way")),
        (("Supported", "Refuted", "Not enough evidence"), LabelOrder((0, 2, 1), "three-way")),
        (("insufficient evidence", "SUPPORT", "CONTRADICT"), LabelOrder((1, 0, 2), "three-way")),
        (("entailment", "not_entailment"), LabelOrder((0, 1), "binary")),
        (("hallucinated", "consistent"), LabelOrder((1, 0), "binary")),
        (("LABEL_0", "LABEL_1"), LabelOrder((1, 0), "binary", guessed=True)),
        (("0", "1"), LabelOrder((1, 0), "binary", guessed=True)),  # MiniCheck's
        (("contrasting", "reasoning", "entailment", "neutral"), LabelOrder((2, 1, 0, 1), "SciNLI")),
        (("LABEL_0", "LABEL_1", "LABEL_2"), LabelOrder((0, 1, 2), "three-way", guessed=True)),
    ],
)
def test_label_names_decide_the_order(names: tuple[str, ...], expected: LabelOrder) -> None:
    assert read_label_order(dict(enumerate(names)), "some/model") == expected


@pytest.mark.parametrize(
    "names",
    [
        ("LABEL_0", "LABEL_1", "LABEL_2", "LABEL_3"),
        ("positive", "negative"),
        ("entailment", "entails", "neutral"),
        ("contradiction", "neutral"),
    ],
)
def test_unreadable_labels_are_refused_by_name(names: tuple[str, ...]) -> None:
    with pytest.raises(UnknownLabels) as caught:
        read_label_order(dict(enumerate(names)), "some/model")
    assert str(caught.value) == (
        f"some/model: the labels {', '.join(map(repr, names))} cannot be read as entailment, neutral and contradiction; "
        "name the labels in the checkpoint's config.json (id2label)"
    )


@pytest.mark.parametrize(
    ("id2label", "said"),
    [
        ({0: "LABEL_0"}, "it has one output, a score: it is no classifier of pairs; name another one"),
        (
            {0: "entailment", 1: None, 2: "contradiction"},
            "label 1 is null and must be a word; name the labels in the checkpoint's config.json (id2label)",
        ),
    ],
)
def test_what_has_no_labels_is_told_apart_from_labels_of_another_kind(
    id2label: dict[int, object], said: str
) -> None:
    with pytest.raises(UnknownLabels) as caught:
        read_label_order(id2label, "some/model")
    assert str(caught.value) == f"some/model: {said}"


def test_a_binary_checker_counts_what_is_not_entailed_as_neutral() -> None:
    order = read_label_order({0: "unsupported", 1: "supported"}, "some/checker")
    assert order.fold(np.array([[0.25, 0.75]], dtype=np.float32)).tolist() == [[0.75, 0.25, 0.0]]


@pytest.mark.parametrize("columns", permutations(range(3)))
def test_known_answers_tell_what_labels_without_names_mean(columns: tuple[int, ...]) -> None:
    named = read_label_order(UNNAMED, "some/model")
    _, found = passing("some/model", named, lambda order: Knowing(order, columns))
    assert [found.columns[at] for at in columns] == [0, 1, 2]
    assert found.guessed


@pytest.mark.parametrize("entailed", [0, 1])
def test_a_binary_checker_without_names_is_read_as_known_answers_show(entailed: int) -> None:
    named = read_label_order({0: "LABEL_0", 1: "LABEL_1"}, "some/checker")
    said = (entailed, 1 - entailed, 1 - entailed)
    _, found = passing("some/checker", named, lambda order: Knowing(order, said))
    assert (found.columns[entailed], found.kind, found.guessed) == (0, "binary", True)


def test_contrasting_is_contradiction_only_where_known_answers_say_so() -> None:
    named = read_label_order(SCINLI, "some/scinli")
    as_named = passing("some/scinli", named, lambda order: Knowing(order, (0, 3, 2)))[1]
    assert (as_named.columns, as_named.kind, as_named.guessed) == ((0, 1, 2, 1), "SciNLI", False)
    other_papers = passing("some/scinli", named, lambda order: Knowing(order, (0, 2, 1)))[1]
    assert (other_papers.columns, other_papers.kind, other_papers.guessed) == ((0, 1, 1, 1), "binary", True)


def test_a_named_order_that_is_wrong_is_refused_not_mended() -> None:
    named = read_label_order({0: "entailment", 1: "neutral", 2: "contradiction"}, "some/model")
    with pytest.raises(
        SelfTestFailed, match=r"some/model: on known pairs the probability of entailment averages 0.10"
    ):
        passing("some/model", named, lambda order: Knowing(order, (2, 1, 0)))
