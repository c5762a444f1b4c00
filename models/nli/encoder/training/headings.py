"""Classifier of findings versus methods, trained on structured abstracts."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from medassay.models.nli.encoder.tokenisation import Findings, telling_words
from medassay.models.nli.encoder.training.pairs import read_rows
from medassay.models.text.sentences.splitting import sentences
from medassay.models.usage import UsageError

_FINDING = re.compile(r"\b(?:results?|findings|conclusions?|interpretation|discussion)\b", re.I)
_OTHER = re.compile(
    r"\b(?:background|objectives?|methods?|purpose|introduction|aims?|design|setting|patients|participants|subjects|"
    r"interventions?|measurements|main outcome|outcome|context|materials?|study|research design|importance|"
    r"trial registration|rationale|data sources|hypothesis)\b",
    re.I,
)
_MARKED = re.compile(r"ABSTRACT\.([^\n:]{1,60}):\n")
_WRITTEN = re.compile(
    r"(?:^|(?<=[.)\]]\s)|(?<=\n))([A-Z][A-Z/&, ]{3,50}|(?:Objective|Method|Result|Conclusion|Aim)s?|Background|Findings"
    r"|Purpose|Introduction|Interpretation|Design|Setting|Patients and methods|Materials and methods)[:.]\s"
)
_LONGEST = 5000
_SHORTEST = 15
_KEPT = 0.4
"""How often a heading stays with its first sentence: most passages have none."""
_RAREST = 12
_EXAMINED = 0.15
_FEWEST = 50

Section = tuple[str, str]
"""A heading and what stands under it."""
LabelledSentence = tuple[str, bool]
"""A sentence, and whether it reports a finding."""


def sections_of(text: str) -> list[Section]:
    """Cut an abstract at its headings; empty where it has fewer than two."""
    for pattern in (_MARKED, _WRITTEN):
        found = list(pattern.finditer(text))
        if len(found) > 1:
            ends = [*(m.start() for m in found[1:]), len(text)]
            return [(m.group(1).strip(), text[m.end() : end]) for m, end in zip(found, ends, strict=True)]
    return []


def is_finding(heading: str) -> bool | None:
    """Return whether results or conclusions stand under a heading; None where both may, or neither is known."""
    finding, other = _FINDING.search(heading), _OTHER.search(heading)
    return None if bool(finding) == bool(other) else bool(finding)


def read_sections(corpus: Path) -> Iterator[Section]:
    """Yield the sections of every structured abstract among the articles of a corpus folder."""
    for path in sorted(corpus.glob("*.jsonl*")):
        for row in read_rows(path):
            if "text" in row:
                yield from sections_of(row["text"].split("\n\nBODY")[0][:_LONGEST])


def labelled_sentences(sections: Iterable[Section], seed: int) -> Iterator[LabelledSentence]:
    """Yield sentences, the first of a section with its heading now and then, and whether each reports a finding."""
    chance = random.Random(seed)
    for heading, text in sections:
        label = is_finding(heading)
        if label is None:
            continue
        for number, span in enumerate(sentences(text)):
            sentence = text[span.start : span.end].strip()
            if len(sentence) >= _SHORTEST:
                named = number == 0 and chance.random() < _KEPT
                yield f"{heading}: {sentence}" if named else sentence, label


def examined(labelled: Sequence[LabelledSentence]) -> tuple[Findings, float]:
    """Fit on all sentences; beside it the share of the last articles' sentences that a fit on the others gets right.

    Raises:
        UsageError: when there are too few sentences of either kind to learn from.
    """
    first = round(len(labelled) * (1 - _EXAMINED))
    kinds = [Counter(label for _, label in part) for part in (labelled[:first], labelled[first:])]
    if min(kinds[0][True], kinds[0][False]) < _FEWEST or not kinds[1]:
        raise UsageError(
            f"{len(labelled)} sentences stand under a heading that says what they are: at least {_FEWEST} of "
            f"results and {_FEWEST} of methods are needed; "
            "name a folder of articles with structured abstracts (field `text`)"
        )
    known = fit_findings(labelled[:first])
    right = [(known.probability(text) > 0.5) == label for text, label in labelled[first:]]
    return fit_findings(labelled), sum(right) / len(right)


def fit_findings(labelled: Sequence[LabelledSentence]) -> Findings:
    """Fit a logistic regression on the words of labelled sentences; words in fewer than a dozen are left out."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    texts, labels = zip(*labelled, strict=True)
    counter = CountVectorizer(analyzer=telling_words, binary=True, min_df=_RAREST)
    seen = counter.fit_transform(texts)
    model = LogisticRegression(C=0.3, max_iter=1000).fit(seen, labels)
    weights = zip(counter.get_feature_names_out(), model.coef_[0].tolist(), strict=True)
    return Findings(
        {str(word): round(weight, 2) for word, weight in weights}, round(float(model.intercept_[0]), 2)
    )
