"""What is broken on purpose, watched and counted: python -m benchmarks.chaos KIND; each prints a row of a table."""

import argparse
from pathlib import Path

from benchmarks.chaos.clocks import sets, sleeps
from benchmarks.chaos.inputs import inputs
from benchmarks.chaos.kills import kills
from benchmarks.chaos.parents import parents
from benchmarks.chaos.servers import servers
from benchmarks.chaos.storage import fills

RUNS = {
    "fills": (fills, 12, "fill the disk of the home up on the way (as root)"),
    "clocks": (sets, 8, "set the clock between runs, forth and back (with libfaketime)"),
    "parents": (parents, 6, "start two evaluations in one home"),
    "servers": (servers, 6, "have a judge and reader that does its worst"),
}
"""Kinds that evaluate again and again, how often unless said, and what they do."""


def main() -> None:
    """Do what is named, and print its row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    kinds = parser.add_subparsers(dest="kind", required=True)
    killing = kinds.add_parser("kills", help="kill the process that evaluates, and go on")
    killing.add_argument("--n", type=int, default=50)
    killing.add_argument("--parts", type=int, help="evaluate in so many parts, by processes of their own")
    killing.add_argument("--command", action="store_true", help="by the command with Prefect's server")
    damaging = kinds.add_parser("inputs", help="read damaged files")
    damaging.add_argument("--n", type=int, default=10_000)
    damaging.add_argument("--shared", type=Path, help="folder of further data sets")
    damaging.add_argument("--keep", type=Path, help="folder for what ended in another error")
    damaging.add_argument("--messages", type=Path, help="file for the kinds of refusals, with their numbers")
    sleeping = kinds.add_parser("sleeps", help="stop all processes of a run by the command for a while")
    sleeping.add_argument("--n", type=int, default=1)
    sleeping.add_argument("--minutes", type=float, default=30)
    sleeping.add_argument("--jump", type=float, metavar="S", help="seconds that the clock is set meanwhile")
    sleeping.add_argument("--pause", type=float, default=0.5, help="seconds that the judge takes for a reply")
    for name, (_, n, what) in RUNS.items():
        running = kinds.add_parser(name, help=what)
        running.add_argument("--n", type=int, default=n)
        running.add_argument("--command", action="store_true", help="by the command with Prefect's server")
    given = parser.parse_args()
    if given.kind == "kills":
        print(kills(given.n, parts=given.parts, by_command=given.command, seed=given.seed))
    elif given.kind == "sleeps":
        asleep = {"minutes": given.minutes, "jump_s": given.jump, "pause_s": given.pause}
        print(sleeps(given.n, seed=given.seed, **asleep))
    elif given.kind == "inputs":
        print(inputs(given.n, shared=given.shared, kept=given.keep, seed=given.seed, messages=given.messages))
    else:
        print(RUNS[given.kind][0](given.n, by_command=given.command, seed=given.seed))


if __name__ == "__main__":
    main()
