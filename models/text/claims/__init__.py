"""An answer as claims: its sentences as clauses, and what of them asserts and needs a citation."""
