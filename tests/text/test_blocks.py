"""The shape of an answer: how long it takes to see it."""

import time

from medassay.models.text.layout.blocks import blocks


def test_a_long_answer_is_read_in_time_that_grows_with_its_length() -> None:
    text = "A line that says something\n\n- an item\n" * 20_000
    started = time.process_time()
    assert len(blocks(text)) == 40_000
    assert time.process_time() - started < 6  # 25 s, were the lines below copied for each
