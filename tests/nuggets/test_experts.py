"""Real answers: what a physician wrote does not turn around the facts drawn from it."""

import gzip
import json
from pathlib import Path

import pytest

from medassay.models.nuggets.contrast import contrasts
from medassay.models.nuggets.words import keys, share, words
from medassay.models.text.sentences.splitting import sentences

QUESTIONS = Path(__file__).parents[3] / "shared" / "data" / "kqa" / "questions.jsonl.gz"
MOST = 0.02


@pytest.mark.shared_data
@pytest.mark.skipif(not QUESTIONS.exists(), reason="the shared K-QA questions are not beside the checkout")
def test_few_false_alarms_on_the_answers_the_nuggets_came_from() -> None:
    with gzip.open(QUESTIONS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    alarms, pairs = 0, 0
    for row in rows:
        answer = row["reference_answer"]
        said = [answer[span.start : span.end] for span in sentences(answer)]
        for nugget in row["nuggets"]:
            wanted = keys(words(nugget["text"]))
            nearest = max(said, key=lambda sentence: share(wanted, keys(words(sentence))) or 0.0)
            fired = contrasts(nugget["text"], nearest)
            alarms += any(contrast.severity == "contradiction" for contrast in fired)
            pairs += 1
    assert pairs > 1000
    assert alarms / pairs <= MOST
