"""Metamorphic properties: what breaks them is seen, and the embedded models keep all but the known one."""

import pytest

from medassay.flows import metamorphic
from medassay.flows.metamorphic import CHECKS


@pytest.mark.usefixtures("needs_the_embedder")
def test_the_pipeline_keeps_the_properties_that_hang_on_no_model() -> None:
    found = metamorphic.examine(entailment="none", matcher="cosine")
    assert [(property.says, property.broken) for property in found[:4]] == [
        (says, ()) for says in list(CHECKS)[:4]
    ]
    # The plain cosine rule is blind to a dose that is turned around: the very reason for a reader.
    assert not found[4].holds
