"""Training material of the encoder: sets with shares and weights, development parts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from medassay.models.nli.encoder.training.pairs import (
    LabelledPair,
    held_out,
    read_pairs,
    shares_of,
    without_conflicts,
)
from medassay.models.nli.encoder.training.written import written_pairs
from medassay.models.nli.joint_premises import joined_premise
from medassay.models.nli.labels import LABELS
from medassay.models.usage import UsageError

CORPUS = "corpus"
"""The set that a teacher labelled."""


@dataclass(frozen=True, slots=True)
class Share:
    """At most so many pairs of a set, and what each of them weighs."""

    most: int | None = None
    weight: float = 1.0


SHARES = {
    "evidence_inference": Share(None, 0.8),
    "covidfact": Share(None, 0.7),
    "nli4ct": Share(None, 0.7),
    "conjnli": Share(9000, 0.7),
    "fever_binary": Share(8000, 0.6),
    CORPUS: Share(None, 0.7),
    "foreign": Share(None, 0.5),
    "expertqa": Share(None, 0.7),
}
"""The largest sets are cut, so that the others have their share; a set that is not named here is taken whole."""


NOT_MEASURED = (CORPUS, "conjnli", "fever_binary")
"""Sets of which nothing is measured here: a teacher's labels, and what is of another kind than citations."""
FEWEST_DOCUMENTS = 20
MOST_CHARACTERS = 2_400


def gather(
    sets: Sequence[Path], seed: int, without: Sequence[str] = (), most: int | None = None
) -> tuple[list[LabelledPair], dict[str, list[LabelledPair]]]:
    """Collect the training pairs, and by set the development ones.

    A set is a folder with `train.jsonl(.gz)` and perhaps `dev.jsonl(.gz)`, or a file `NAME.jsonl(.gz)`; `NAME_train`
    and `NAME_dev` are parts of `NAME`. Of a set without a development part a fifth of its documents is one.

    Args:
        sets: folders that hold sets, and single files.
        seed: of which pairs of a large set are taken.
        without: names of sets that are left out of training, whose development part is measured all the same.
        most: pairs that are taken of any one set but a teacher's; None for what `SHARES` has.

    Raises:
        UsageError: when a file cannot be read, or there is no training pair.
    """
    chance = random.Random(seed)
    train: list[LabelledPair] = []
    dev: dict[str, list[LabelledPair]] = {}
    for name, parts in sorted(_parts(sets).items()):
        pairs = read_pairs(parts["train"], name) if "train" in parts else []
        if "dev" in parts:
            dev[name] = read_pairs(parts["dev"], name)
        elif name not in NOT_MEASURED and len({pair.doc for pair in pairs}) >= FEWEST_DOCUMENTS:
            dev[name] = [pair for pair in pairs if held_out(pair)]
            pairs = [pair for pair in pairs if not held_out(pair)]
        share = SHARES.get(name, Share())
        pairs = without_conflicts(pairs)
        chance.shuffle(pairs)
        if name not in without:
            limits = [n for n in (share.most, most if name != CORPUS else None) if n is not None]
            train += pairs[: min(limits, default=None)]
    if not train:
        raise UsageError(
            f"{', '.join(map(str, sets))}: no labelled pairs; NAME/train.jsonl(.gz) or NAME.jsonl(.gz) is needed, with "
            f"premise, hypothesis and label ({', '.join(LABELS)})"
        )
    if "written" not in without:
        train += [*written_pairs(seed), *written_pairs(seed + 1)]  # amid other sentences
    return train, dev


def recipe_pairs(data: Path, seed: int) -> list[LabelledPair]:
    """Return the pairs of the reader's recipe whose form is not `pairs`: of answers, of cited claims and by rule.

    A passage of more than 2,400 characters is read through its sentences nearest to the statement.
    """
    from medassay.models.nli.language_model.training.sets import LABELS as LETTERS
    from medassay.models.nli.language_model.training.sets import read_recipe, read_set

    return [
        LabelledPair(
            joined_premise(pair.statement, [[pair.passage]], MOST_CHARACTERS)
            or pair.passage[:MOST_CHARACTERS],
            pair.statement,
            shares_of(LETTERS[pair.label]),
            named.name,
            f"{named.name}/{number}",
        )
        for named in read_recipe()
        if named.form not in ("pairs", "written")
        for number, pair in enumerate(read_set(named, data, seed).pairs)
    ]


def _parts(sets: Sequence[Path]) -> dict[str, dict[str, Path]]:
    """Find the files of each set's parts."""
    found: dict[str, dict[str, Path]] = {}
    for place in sets:
        for path in sorted(place.rglob("*.jsonl*")) if place.is_dir() else [place]:
            stem = path.name.partition(".jsonl")[0]
            if stem in ("train", "dev"):
                name, part = path.parent.name, stem
            else:
                name, _, part = stem.rpartition("_")
                name, part = (name, part) if part in ("train", "dev") else (stem, "train")
            found.setdefault(name, {})[part] = path
    return found
