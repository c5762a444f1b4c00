import numpy as np
import pytest

from models.entailment.labels import LabelOrder, read_label_order
from models.entailment.protocol import UnknownLabels


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("entailment", "neutral", "contradiction"), LabelOrder((0, 1, 2), "three-way")),
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), LabelOrder((2, 1, 0), "three-way")),
        (("Supported", "Refuted", "Not Enough Info"), LabelOrder((0, 2, 1), "three-way")),
        (("entailment", "not_entailment"), LabelOrder((0, 1), "binary")),
        (("hallucinated", "consistent"), LabelOrder((1, 0), "binary")),
        (("LABEL_0", "LABEL_1"), LabelOrder((1, 0), "binary")),
        (("contrasting", "reasoning", "entailment", "neutral"), LabelOrder((2, 1, 0, 1), "SciNLI")),
    ],
)
def test_label_names_decide_the_order(names: tuple[str, ...], expected: LabelOrder) -> None:
    assert read_label_order(dict(enumerate(names)), "some/model") == expected


@pytest.mark.parametrize(
    "names",
    [
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("positive", "negative"),
        ("entailment", "entails", "neutral"),
        ("a",),
    ],
)
def test_unreadable_labels_are_refused_by_name(names: tuple[str, ...]) -> None:
    with pytest.raises(UnknownLabels) as caught:
        read_label_order(dict(enumerate(names)), "some/model")
    assert str(caught.value) == (
        f"some/model: the labels {', '.join(map(repr, names))} cannot be read as entailment, neutral and contradiction; "
        "name the labels in the checkpoint's config.json (id2label)"
    )


def test_a_binary_checker_counts_what_is_not_entailed_as_neutral() -> None:
    order = read_label_order({0: "unsupported", 1: "supported"}, "some/checker")
    assert order.fold(np.array([[0.25, 0.75]], dtype=np.float32)).tolist() == [[0.75, 0.25, 0.0]]


def test_four_classes_fold_reasoning_into_neutral() -> None:
    order = read_label_order({0: "entailment", 1: "reasoning", 2: "contrasting", 3: "neutral"}, "some/scinli")
    assert order.fold(np.array([[0.5, 0.125, 0.25, 0.125]], dtype=np.float32)).tolist() == [[0.5, 0.25, 0.25]]
