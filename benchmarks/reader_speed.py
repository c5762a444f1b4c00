"""How fast the language model reads on a processor: ways to run the same weights, paired in one run.

    python -m benchmarks.reader_speed ../shared [--threads 1] [--rounds 2] [--adapter FILE.gguf] [--json FILE]

Tokens are those of every pair's own prompt: a way that reads a passage once for several statements counts it as often
as the others do. Processor seconds are of all threads, so that what else runs on the machine disturbs them less than
wall time. The first way is what the others' letters and probabilities are compared with. Two kinds of work: short pairs
(`inversions_dev`), and statements beside whole answers of K-QA (about nine each).
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reader_answers import labelled_answers
from benchmarks.reader_sets import inversions
from medassay.models.nli.language_model.linear import state_dtype
from medassay.models.nli.language_model.merging import BASE, LETTER_ROWS, WEIGHTS, ensure_merged
from medassay.models.nli.language_model.prompt import Group, passage_ids, statement_ids
from medassay.models.nli.language_model.reader import LanguageModelReader
from medassay.models.processor import arithmetic_on

Prompt = tuple[list[int], list[int]]
Read = Callable[[Sequence[Prompt]], np.ndarray]
A_BATCH = 1024


def prompts(reader: LanguageModelReader, pairs: Sequence[tuple[str, str]]) -> list[Prompt]:
    """Return (passage tokens, statement and question tokens) a pair, as in training."""
    encode = reader.encode
    return [
        (passage_ids(encode, p)[:640], statement_ids(encode, s)[:160] + reader.question) for p, s in pairs
    ]


class Transformers:
    """The same merged weights in transformers' own Qwen2Model, by two ways of batching."""

    def __init__(self, folder: Path, dtype: Any) -> None:
        """Load a merged folder in a torch dtype."""
        import torch
        from safetensors.torch import load_file
        from transformers import Qwen2Config, Qwen2Model

        config = Qwen2Config(**json.loads((folder / "config.json").read_text("utf-8")))
        with torch.device("meta"):
            self.model = Qwen2Model(config)
        weights = {name: value.to(dtype) for name, value in load_file(folder / WEIGHTS).items()}
        self.model.load_state_dict(weights, assign=True)
        # What a checkpoint does not hold was made without values.
        self.model.rotary_emb = type(self.model.rotary_emb)(config=config)
        self.model.eval()
        self.letters = load_file(folder / LETTER_ROWS)["letters"].to(dtype)

    def shares(self, texts: Sequence[Sequence[int]], cache: Any = None) -> np.ndarray:
        """Return the letters' shares behind each text of a right-padded batch, on a cache or none."""
        import torch

        ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = torch.tensor(text)
        states = self.model(
            input_ids=ids, past_key_values=cache, use_cache=cache is not None
        ).last_hidden_state
        last = states[torch.arange(len(texts)), torch.tensor([len(text) - 1 for text in texts])]
        found: np.ndarray = torch.softmax((last @ self.letters.T).float(), -1).numpy()
        return found

    def padded(self, rows: Sequence[Prompt]) -> np.ndarray:
        """Read each prompt by itself, prompts of like length in one padded batch."""
        import torch

        texts = [a + b for a, b in rows]
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        found = np.zeros((len(texts), 3))
        with torch.inference_mode():
            while order:
                n = max(1, A_BATCH // len(texts[order[-1]]))
                batch, order = order[-n:], order[:-n]
                found[batch] = self.shares([texts[i] for i in batch])
        return found

    def cached_prefix(self, rows: Sequence[Prompt]) -> np.ndarray:
        """Read a passage once, then its statements as a padded batch on its expanded cache."""
        import torch
        from transformers import DynamicCache

        found = np.zeros((len(rows), 3))
        for passage, members in by_passage(rows).items():
            with torch.inference_mode():
                cache = DynamicCache(config=self.model.config)
                self.model(input_ids=torch.tensor([passage]), past_key_values=cache, use_cache=True)
                cache.batch_repeat_interleave(len(members))
                found[members] = self.shares([rows[i][1] for i in members], cache)
        return found


def packed_rows(reader: LanguageModelReader, rows: Sequence[Prompt], *, shared: bool) -> np.ndarray:
    """Read prompts packed end to end without padding, as the project does; a passage once for all its statements."""
    from medassay.models.nli.language_model.prompt import packed

    together = by_passage(rows) if shared else {(i,): [i] for i in range(len(rows))}
    members = list(together.values())
    groups = [Group(rows[m[0]][0], tuple(rows[i][1] for i in m)) for m in members]
    waiting = [list(m) for m in members]
    found = np.zeros((len(rows), 3))
    for row in packed(groups, A_BATCH):
        shares = iter(reader._read([group for _, group in row]))
        for place, group in row:
            for _ in group.statements:
                found[waiting[place].pop(0)] = next(shares)
    return found


def by_passage(rows: Sequence[Prompt]) -> dict[tuple[int, ...], list[int]]:
    """Group the rows that have one passage."""
    found: dict[tuple[int, ...], list[int]] = {}
    for i, (passage, _) in enumerate(rows):
        found.setdefault(tuple(passage), []).append(i)
    return found


@contextmanager
def llama(model: Path, threads: int, adapter: Path | None = None) -> Iterator[Read]:
    """Serve a GGUF file by llama.cpp in this process, with an adapter at run time or none."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx, params.n_parallel, params.warmup, params.offline = 4096, 1, False, True
    params.hostnames, params.port, params.ui = ["127.0.0.1"], 0, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = 0
    if adapter is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    server = xllamacpp.Server(params)

    def read(rows: Sequence[Prompt]) -> np.ndarray:
        found = np.zeros((len(rows), 3))
        for i in sorted(range(len(rows)), key=lambda i: rows[i][0]):
            body = {
                "prompt": rows[i][0] + rows[i][1],
                "n_predict": 1,
                "n_probs": 40,
                "temperature": 1.0,
                "cache_prompt": True,
            }
            reply = server.handle_completions(body)
            found[i] = letter_shares(reply if isinstance(reply, dict) else json.loads(reply))
        return found

    yield read


def letter_shares(reply: dict[str, Any]) -> list[float]:
    """Return the shares of the three letters among each other in a reply of llama.cpp."""
    listed = reply["completion_probabilities"][0]["top_logprobs"]
    held = {entry["token"]: float(np.exp(entry["logprob"])) for entry in listed}
    shares = [held.get(letter, 0.0) for letter in (" A", " B", " C")]
    return [share / sum(shares) for share in shares] if sum(shares) else [0.0, 0.0, 1.0]


def measured(name: str, read: Read, rows: Sequence[Prompt], first: np.ndarray | None) -> dict[str, Any]:
    """Time one way on some prompts."""
    processor, wall = time.process_time(), time.perf_counter()
    found = read(rows)
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    tokens = sum(len(a) + len(b) for a, b in rows)
    against = found if first is None else first
    return {
        "way": name,
        "pairs": len(rows),
        "tokens_a_processor_second": tokens / processor,
        "pairs_a_processor_second": len(rows) / processor,
        "tokens_a_second": tokens / wall,
        "largest_difference": float(np.abs(found - against).max()),
        "letters_changed": int((found.argmax(1) != against.argmax(1)).sum()),
        "found": found,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every way that can run here, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shared", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2, help="the best of so many is shown")
    parser.add_argument("--adapter", type=Path, help="the adapter as GGUF: llama.cpp is measured too")
    parser.add_argument("--pairs", type=int, default=40, help="of each kind")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(arguments)
    import torch

    torch.set_num_threads(asked.threads)
    reader = LanguageModelReader(ensure_merged())
    answers = labelled_answers(asked.shared / "data", "dev2")
    work = {
        "short pairs": [p.texts for p in inversions(asked.shared / "cases").pairs][: asked.pairs],
        "whole answers": [(a.text, nugget) for a in answers for nugget in a.nuggets][: asked.pairs],
    }
    rows = {kind: prompts(reader, pairs) for kind, pairs in work.items()}
    del reader
    table: dict[tuple[str, str], dict[str, Any]] = {}
    firsts: dict[str, np.ndarray] = {}

    def run(name: str, read: Read, rounds: int) -> None:
        for kind, prompted in rows.items():
            for _ in range(rounds):
                one = measured(name, read, prompted, firsts.get(kind))
                firsts.setdefault(kind, one["found"])
                best = table.get((kind, name))
                if best is None or one["tokens_a_processor_second"] > best["tokens_a_processor_second"]:
                    table[kind, name] = one
            print(shown(kind, table[kind, name]), flush=True)

    print(
        f"{'':14} {'way':46} {'tok/cpu-s':>9} {'pairs/cpu-s':>11} {'tok/s':>6} {'max diff':>8} letters changed"
    )
    folder, shipped = ensure_merged(), arithmetic_on("cpu")
    dtype = state_dtype(shipped)
    plain = Transformers(folder, dtype)
    name = str(dtype).removeprefix("torch.")
    run(f"transformers {name}, padded batches", plain.padded, asked.rounds)
    run(f"transformers {name}, passage's cache expanded", plain.cached_prefix, asked.rounds)
    del plain
    for arithmetic in dict.fromkeys(("float32", shipped) if dtype == torch.float32 else (shipped,)):
        reader = LanguageModelReader(folder, arithmetic=arithmetic)
        run(f"packed {arithmetic}", partial(packed_rows, reader, shared=False), asked.rounds)
        run(f"packed {arithmetic}, a passage once", partial(packed_rows, reader, shared=True), asked.rounds)
        del reader
    if asked.adapter:
        from medassay.models.weights import ensure

        base = ensure(BASE)
        with llama(base, asked.threads, asked.adapter) as read:
            run("llama.cpp Q4_K_M, adapter at run time", read, 1)
        with llama(base, asked.threads) as read:
            run("llama.cpp Q4_K_M, no adapter (another reader)", read, 1)
    if asked.json:
        kept = [
            {**{k: v for k, v in one.items() if k != "found"}, "work": kind}
            for (kind, _), one in table.items()
        ]
        asked.json.write_text(json.dumps(kept, indent=1), "utf-8")
    return 0


def shown(kind: str, one: dict[str, Any]) -> str:
    """Return one line of the table."""
    return (
        f"{kind:14} {one['way']:46} {one['tokens_a_processor_second']:9.0f} {one['pairs_a_processor_second']:11.2f}"
        f" {one['tokens_a_second']:6.0f} {one['largest_difference']:8.3f} {one['letters_changed']} of {one['pairs']}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
