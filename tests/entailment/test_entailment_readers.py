"""Several cue readers as one."""

import torch

from medassay.models.entailment.cues import N_CUES, cues
from medassay.models.entailment.network import CueReader
from medassay.models.entailment.overview import overview_cues
from medassay.models.entailment.training.readers import mean_of


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
