"""What is broken on purpose, watched and counted: python -m benchmarks.chaos KIND; each prints a row of a table."""

import argparse
from pathlib import Path

from benchmarks.chaos.clocks import sleeps
from benchmarks.chaos.inputs import inputs
from benchmarks.chaos.kills import kills


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
    damaging.add_argument(
        "--messages", type=Path, help="file for the kinds of lines with which data were refused"
    )
    sleeping = kinds.add_parser("sleeps", help="stop all processes of a run for a while")
    sleeping.add_argument("--n", type=int, default=1)
    sleeping.add_argument("--minutes", type=float, default=30)
    sleeping.add_argument(
        "--jump", type=float, metavar="S", help="seconds by which the clock is set meanwhile"
    )
    sleeping.add_argument("--pause", type=float, default=0.5, help="seconds that the judge takes for a reply")
    given = parser.parse_args()
    if given.kind == "kills":
        print(kills(given.n, parts=given.parts, by_command=given.command, seed=given.seed))
    elif given.kind == "sleeps":
        asleep = {"minutes": given.minutes, "jump_s": given.jump, "pause_s": given.pause}
        print(sleeps(given.n, seed=given.seed, **asleep))
    else:
        print(inputs(given.n, shared=given.shared, kept=given.keep, seed=given.seed, messages=given.messages))


if __name__ == "__main__":
    main()
