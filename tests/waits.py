"""Waiting for what a server, a process or a page does, as long as a loaded machine may need."""

import time
from collections.abc import Callable
from typing import Any


def until(true: Callable[[], Any], what: str = "what the test waits for", seconds: float = 180) -> Any:
    """Return the first true value of a function, asked twenty times a second; fail after `seconds`."""
    ends = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < ends, f"not within {seconds:g} seconds: {what}"
        time.sleep(0.05)
    return found


def until_page(browser: Any, script: str) -> Any:
    """Return the first true value of a script in a page; a failure quotes the page."""
    try:
        return until(lambda: browser.execute_script(script), script)
    except AssertionError as late:
        shown = browser.execute_script("return document.body.textContent")
        raise AssertionError(f"{late}; {browser.current_url} shows {' '.join(shown.split())[:500]}") from None
