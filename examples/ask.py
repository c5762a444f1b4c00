"""Put the ready questions to the published results, from Python: `python examples/ask.py [results.duckdb]`.

The same works in a notebook: `.df()` gives a data frame, `.arrow()` a table, and the file can be read while runs go on.
"""

import os
import sys
from pathlib import Path

import duckdb

QUESTIONS = Path(__file__).with_name("questions")


def main(results: str = "") -> None:
    """Print each question with the first rows of its answer."""
    results = results or str(Path(os.environ.get("MEDASSAY_HOME", ".medassay")) / "results.duckdb")
    if not Path(results).is_file():
        sys.exit(f"nothing is published at {results}: run `medassay evaluate DATA` first, or name the file")
    with duckdb.connect(results, read_only=True) as connection:
        for path in sorted(QUESTIONS.glob("*.sql")):
            sql = path.read_text(encoding="utf-8")
            asked = [line[3:] for line in sql.splitlines() if line.startswith("-- ")]
            print(f"\n{path.stem[:2]}  {' '.join(asked)}\n")
            answer = connection.sql(sql)
            print(answer.limit(5).df().to_string(index=False))
            print(f"({len(answer)} rows)")


if __name__ == "__main__":
    main(*sys.argv[1:2])
