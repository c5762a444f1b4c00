"""Pairs from conclusions, and several cue readers as one."""

import json
from pathlib import Path

import torch

from models.entailment.cues import N_CUES, cues
from models.entailment.network import CueReader
from models.entailment.overview import overview_cues
from models.entailment.training.readers import mean_of
from models.entailment.training.rules import pairs_from_conclusions


def test_a_conclusion_is_entailed_as_it_stands_and_contradicted_turned_around(tmp_path: Path) -> None:
    results = ["Adults took aspirin.", "Strokes were counted.", "Four of ten had one.", "Six of ten had not."]
    rows = [
        {"id": "1", "title": "Aspirin", "sentences": [*results, "In conclusion, aspirin reduced strokes in adults who had had one."]},
        {"id": "2", "title": "Sleep", "sentences": [*results, "Exercise improved the sleep of people who walk daily."]},
    ]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    made = [(p.doc, p.hypothesis, p.label) for p in pairs_from_conclusions(tmp_path, 10, 3)]
    assert {pair for pair in made if pair[0] == "2" and pair[2] != 1} == {
        ("2", "Exercise improved the sleep of people who walk daily.", 0),
        ("2", "Exercise worsened the sleep of people who walk daily.", 2),
    }
    assert ("1", "Aspirin raised strokes in adults who had had one.", 2) in made
    assert all("conclu" not in p.premise for p in pairs_from_conclusions(tmp_path, 10, 3))


def test_the_mean_of_readers_says_the_mean_of_their_logits() -> None:
    torch.manual_seed(1)
    readers = [CueReader(4).eval(), CueReader(3).eval()]
    signals = torch.rand(5, N_CUES)
    with torch.no_grad():
        expected = (readers[0](signals) + readers[1](signals)) / 2
        assert torch.allclose(mean_of(readers)(signals), expected, atol=1e-6)


def test_a_pair_has_as_many_cues_as_a_network_takes() -> None:
    sentences = ["Aspirin lowered the risk of stroke (P = 0.01).", "It was well tolerated."]
    claim = "Aspirin raised the risk of stroke."
    assert len(cues(sentences, claim, [0.0] * 5)) + len(overview_cues(sentences, claim)) == N_CUES
