"""Many calls at once, in an event loop that lives and dies with them."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def in_order(
    items: Iterable[Any], work: Callable[[Any], Coroutine[Any, Any, Result]], at_once: int
) -> list[Result]:
    """Run the work with a bounded number of tasks, so that a million requests are not a million tasks."""
    results: dict[int, Result] = {}
    queue = iter(enumerate(items))

    async def worker() -> None:
        for index, item in queue:
            results[index] = await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())
    return [results[index] for index in range(len(results))]


def run(batch: Coroutine[Any, Any, Result]) -> Result:
    """Run the batch to its end, in a thread of its own where this one already has an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(batch)
    ended: list[Result] = []
    raised: list[BaseException] = []

    def target() -> None:
        try:
            ended.append(asyncio.run(batch))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=target, name="medassay-asking")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return ended[0]
