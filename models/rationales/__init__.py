"""Similarity of rationales: BERTScore and BARTScore."""
