"""Systems under test that are asked here and now: whom to ask, with what prompt, and what their replies hold."""
