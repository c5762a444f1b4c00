"""What must be asked, found in replies: `python -m benchmarks.asked [READER …]`, default `encoder cascade`.

The pairs (benchmarks/data/asked_pairs.jsonl) were made up for it, half of them near misses: another symptom, another
drug, the topic without a question. The cut-off was chosen on the part `chosen`.
"""

import json
import sys
from pathlib import Path

from medassay.models.conversation_acts import act_statement, decide_asked, questions_of
from medassay.models.nli import load_entailment
from medassay.models.nuggets.evidence import ClaimText
from medassay.models.text.sentences.splitting import sentences

PAIRS = Path(__file__).with_name("data") / "asked_pairs.jsonl"


def main(readers: list[str]) -> None:
    """Print of how many right and wrong pairs each reader says that they are asked, by part."""
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    for spec in readers:
        reader = load_entailment("embedded" if spec == "encoder" else spec)
        counts = {(part, asked): [0, 0] for part in ("chosen", "held out") for asked in (True, False)}
        for pair in pairs:
            claims = [
                ClaimText(n, pair["reply"][span.start : span.end])
                for n, span in enumerate(sentences(pair["reply"]) or ())
            ]
            questions, statement = (
                questions_of(claims),
                act_statement("ask", pair["must_ask"], None).statement,
            )
            verdicts = reader.score([(passage, statement) for _, passage in questions]) if questions else []
            found = decide_asked([(place, v) for (place, _), v in zip(questions, verdicts, strict=True)])
            count = counts[pair["part"], pair["asked"]]
            count[0] += found.state == "said"
            count[1] += 1
        for part in ("chosen", "held out"):
            (right, n_right), (wrong, n_wrong) = counts[part, True], counts[part, False]
            print(f"{spec:8} {part:9} {right} of {n_right} right ones, {wrong} of {n_wrong} wrong ones")


if __name__ == "__main__":
    main(sys.argv[1:] or ["encoder", "cascade"])
