"""Any sequence-classification checkpoint, from the hub or a folder, read by its own labels and windows."""

import re
from collections.abc import Sequence
from logging import ERROR, getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.models.nli.encoder.inputs import Batch
from medassay.models.nli.encoder.scoring import Scorer
from medassay.models.nli.encoder.tokenisation import Reader, findings_digest
from medassay.models.nli.encoder.worker_pool import pace_of, worker_pool_for
from medassay.models.nli.known_answers import passing
from medassay.models.nli.labels import (
    STAGE_VERSION,
    EntailmentUnavailable,
    LabelOrder,
    SelfTestFailed,
    UnknownLabels,
    read_label_order,
)
from medassay.models.nli.settings import WindowSettings
from medassay.models.nli.window_verdicts import Forward

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDEST_WINDOW = 512
_READ_BY = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "spm.model", "sentencepiece.bpe.model",
)  # fmt: skip
_COMMON = frozenset(
    "a an the of in on at to for from by with and or nor but as is are was were be been being has have had do does did "
    "this that these those it its they their there which who whom than then so such may can could will would should "
    "not no we our us you your he she his her i , . ; : ( ) [ ] % - ' \" / s".split()
)


def load_checkpoint(
    name: str, *, local_only: bool = False, dtype: Any = None, tested: bool = False
) -> tuple[Scorer, LabelOrder]:
    """Load a checkpoint by hub id or folder.

    Args:
        name: a hub id such as `FacebookAI/roberta-large-mnli`, or a folder.
        local_only: use what is already on this machine, ask no hub.
        dtype: a torch dtype; None is float32.
        tested: refuse what fails on known answers, and take the order of labels that passes where none is named.

    Raises:
        EntailmentUnavailable: when it cannot be had or is no fast-tokenizer classifier.
        UnknownLabels: when its labels cannot be read.
        SelfTestFailed: when it fails on known answers.
    """
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    # Their warnings about every try to connect and every weight say at length what the error says in a line.
    for library in ("huggingface_hub", "transformers"):
        getLogger(library).setLevel(ERROR)
    try:
        # Code that a checkpoint brings along is never run, and nobody is asked whether it may be.
        config = AutoConfig.from_pretrained(name, local_files_only=local_only, trust_remote_code=False)
        order = read_label_order({int(i): label for i, label in config.id2label.items()}, name)
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=local_only, trust_remote_code=False)
        network, found = AutoModelForSequenceClassification.from_pretrained(
            name,
            local_files_only=local_only,
            trust_remote_code=False,
            dtype=torch.float32,
            output_loading_info=True,
            ignore_mismatched_sizes=True,
        )
    except UnknownLabels:
        raise
    except (
        Exception
    ) as error:  # files of others: transformers, safetensors and pickle each have errors of their own
        raise EntailmentUnavailable(
            f"entailment model {name!r} cannot be loaded ({_first_line(error)}); name a folder that holds it, or "
            "use `embedded`"
        ) from error
    if found["mismatched_keys"]:
        raise _misfit(name, config, sorted(found["mismatched_keys"], key=str))
    if lacking := sorted(found["missing_keys"]):
        # They would be drawn at random, anew at every load, and might pass on known answers by chance.
        raise EntailmentUnavailable(
            f"entailment model {name!r} has no weights for {len(lacking)} of its parameters, such as {lacking[0]}: "
            "it is no trained classifier, or its files are not all there; name another one"
        )
    if not getattr(tokenizer, "is_fast", False):
        raise EntailmentUnavailable(
            f"entailment model {name!r} has no fast tokenizer (tokenizer.json); name another one"
        )
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtype = dtype or torch.float32
    network = network.eval().to(device, dtype=dtype)
    try:
        reader = Reader(tokenizer.backend_tokenizer)
    except ValueError as error:
        raise EntailmentUnavailable(f"entailment model {name!r}: {error}; name another one") from error
    if (n_rows := _embedding_rows(network)) is not None and n_rows < (n_tokens := _n_tokens(reader)):
        raise EntailmentUnavailable(
            f"entailment model {name!r}: its tokenizer knows {n_tokens} tokens and its network {n_rows}; the two do "
            "not belong together: put the tokenizer that it was trained with into its folder, or name another one"
        )
    if getattr(network.config, "pad_token_id", None) is None:
        # Classifiers made of decoders look for the last token that is no padding.
        network.config.pad_token_id = tokenizer.pad_token_id
    pad_id = int(getattr(network.config, "pad_token_id", None) or 0)
    reading = reading_for(window_of(config, tokenizer), reader.n_special)
    fingerprint = {
        "model": "hf",
        "name": name,
        "weights_sha256": weights_digest(name, config),
        "read_as": files_digest(name),
        "dtype": str(dtype).removeprefix("torch."),
        "reading": reading.named(),
        "findings_sha256": findings_digest(),
        "stage_version": STAGE_VERSION,
    }
    # As its own tokenizer feeds it: some networks could take segment ids and were trained without.
    takes_types = (
        int(getattr(config, "type_vocab_size", 0) or 0) > 1
        and "token_type_ids" in tokenizer.model_input_names
    )

    def scorer_of(columns: LabelOrder) -> Scorer:
        return Scorer(
            reader,
            quickest_forward(network, columns, pad_id, takes_types, device, reader),
            reading,
            rarity,
            {**fingerprint, "labels": columns.kind},
            pace=pace,
            worker_pool=worker_pool,
        )

    rarity = plain_rarity(reader)
    pace = pace_of(device.type)
    worker_pool = worker_pool_for(device.type, pace)
    if not tested:
        return scorer_of(order), order
    try:
        return passing(name, order, scorer_of)
    except SelfTestFailed:
        raise
    except Exception as error:  # networks of others: what one lacks shows when it reads for the first time
        raise EntailmentUnavailable(
            f"entailment model {name!r} cannot read the pairs it is tested on ({_first_line(error)}); mend its "
            "config.json and tokenizer files, or name another one"
        ) from error


def _misfit(name: str, config: Any, keys: Sequence[tuple[str, Sequence[int], Sequence[int]]]) -> Exception:
    """Describe what does not fit: most often the labels, of which a config without `id2label` has two."""
    said = list(config.id2label.values())
    for _, of_weights, of_config in keys:
        if of_config[0] == len(said) and list(of_weights)[1:] == list(of_config)[1:]:
            named = "none" if said == [f"LABEL_{i}" for i in range(len(said))] else ", ".join(map(repr, said))
            return UnknownLabels(
                f"{name}: its weights have {of_weights[0]} labels and its config.json names {named}; name them all "
                "there (id2label), in the order of the weights"
            )
    key, of_weights, of_config = keys[0]
    return EntailmentUnavailable(
        f"entailment model {name!r}: its weights do not fit its config.json ({key} is {list(of_weights)}, not "
        f"{list(of_config)}); put the files together that belong together, or name another one"
    )


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__


def _embedding_rows(network: Any) -> int | None:
    """Tokens that a network has an embedding of; None where it does not show."""
    try:
        return int(network.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError, TypeError):
        return None


def _n_tokens(reader: Reader) -> int:
    """One more than the largest token id of a tokenizer."""
    return max(reader.tokenizer.get_vocab().values()) + 1


def window_of(config: Any, tokenizer: Any) -> int:
    """Tokens that fit into one input: the least of what the config, the tokenizer and this project allow."""
    positions = int(getattr(config, "max_position_embeddings", 0) or WIDEST_WINDOW)
    if config.model_type in ("roberta", "xlm-roberta", "mpnet", "camembert"):
        positions -= 2
    return min(positions, int(min(tokenizer.model_max_length, WIDEST_WINDOW)), WIDEST_WINDOW)


def reading_here(name: str) -> WindowSettings | None:
    """How a checkpoint that is on this machine would be read; None where it is not, or cannot be."""
    from transformers import AutoConfig, AutoTokenizer

    try:
        config = AutoConfig.from_pretrained(name, local_files_only=True, trust_remote_code=False)
        tokenizer = AutoTokenizer.from_pretrained(name, local_files_only=True, trust_remote_code=False)
        return reading_for(window_of(config, tokenizer), Reader(tokenizer.backend_tokenizer).n_special)
    except Exception:  # files of others: transformers and tokenizers each have errors of their own
        return None


def reading_for(window: int, n_special: int) -> WindowSettings:
    """Share a window between passage and claim: a claim may take up to 40 % of it, and is never cut."""
    longest_claim = max(1, int(window * 0.4) - n_special)
    return WindowSettings(
        premise_tokens=max(1, window - n_special - longest_claim), longest_claim=longest_claim
    )


def checkpoint_forward(
    network: Any, order: LabelOrder, pad_id: int, takes_types: bool, device: Any
) -> Forward:
    """Wrap a transformers classifier as inputs → (n, 3) probabilities."""
    import torch

    from medassay.models.nli.encoder.batching import collate, moved, read_back

    def forward(batch: Batch) -> "NDArray[np.float32]":
        ids, mask, *_ = collate(batch, pad_id)
        parts = {"input_ids": ids, "attention_mask": mask.long()}
        if takes_types:
            parts["token_type_ids"] = torch.zeros_like(ids)
            parts["token_type_ids"][mask] = torch.from_numpy(batch.types)
        inputs = dict(zip(parts, moved(list(parts.values()), device), strict=True))
        with torch.inference_mode():
            logits = read_back(lambda: network(**inputs).logits.float(), device)
        return order.fold(torch.softmax(logits, dim=1).numpy())

    return forward


def quickest_forward(
    network: Any, order: LabelOrder, pad_id: int, takes_types: bool, device: Any, reader: Reader
) -> Forward:
    """Wrap a classifier in the quickest way that says what transformers' own does."""
    plain = checkpoint_forward(network, order, pad_id, takes_types, device)
    from medassay.models.nli.encoder.unpadded import agrees, unpadded_forward

    quick = unpadded_forward(network, order, takes_types, device)
    return quick if quick and agrees(quick, plain, reader) else plain


def plain_rarity(reader: Reader) -> list[float]:
    """How telling each token is when no corpus was counted: function words and lone letters little, the rest fully."""
    vocabulary = reader.tokenizer.get_vocab()
    rarity = [0.0] * _n_tokens(reader)
    for token, i in vocabulary.items():
        word = re.sub(r"^(?:##|Ġ|▁)", "", token).casefold()
        rarity[i] = 0.05 if word in _COMMON else 0.4 if len(word) < 3 else 1.0
    return rarity


def weights_digest(name: str, config: Any) -> str:
    """Name the weights: the sha256 of a folder's weight files, or the hub's commit."""
    from medassay.models.weights.storing import digest_of

    folder = Path(name)
    if not folder.is_dir():
        return f"commit:{getattr(config, '_commit_hash', None) or 'unknown'}"
    found = sorted([*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")])
    return "+".join(digest_of(path) for path in found if path.is_file())


def files_digest(name: str) -> str | None:
    """Name a folder's tokenizer and config, its labels among them; None for a hub id: its commit names them too."""
    from medassay.models.keys import content_key
    from medassay.models.weights.storing import digest_of

    folder = Path(name)
    if not folder.is_dir():
        return None
    return content_key({file: digest_of(folder / file) for file in _READ_BY if (folder / file).is_file()})
