"""Jobs of any scheduler: parts are laid down, somebody runs `medassay part` on each, and what appears is taken in."""

import time
from collections.abc import Iterator, Sequence

from medassay.tasks.parts.part import Place, done_of
from medassay.tasks.progress import watcher

POLL_S = 2.0
N_PARTS = 8


class Jobs:
    """Waits for parts that others evaluate; stopped, it leaves them where they lie, and the next run takes them in."""

    n_parts = N_PARTS
    leaves_parts = True

    def submit(self, parts: Sequence[Place]) -> Iterator[tuple[Place, str | None]]:
        """Yield each part when its rows are there."""
        left = list(parts)
        for part in left:
            watcher().say(f"medassay part {part.url}")
        while left:
            for part in [one for one in left if done_of(one) is not None]:
                left.remove(part)
                yield part, None
            if left:
                time.sleep(POLL_S)
