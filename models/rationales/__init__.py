"""How near a rationale comes to a reference rationale: BERTScore and BARTScore."""
