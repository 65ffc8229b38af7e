"""Train the network of roles of web2text-2026 on the pages whose roles were read, and measure it.

    python benchmarks/roles.py folds models/web2text-2026 --data DIR      # by five folds over sites
    python benchmarks/roles.py fit models/web2text-2026 --data DIR        # writes the weights into the model
    python benchmarks/roles.py test models/web2text-2026 --data DIR       # on corpora that are in no training

The network of labels stays as it is: that of roles sees its columns and its last layer, which saw the labels of many of
the pages, but no roles. ``test`` looks for the comments of Dragnet, the classes of L3S-GN1, and standfirsts that
readers found on pages of five corpora.
"""

from __future__ import annotations

import argparse
import json
import lzma
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn

from benchmarks.formats import format_table
from research.kohlschuetter.classes import TextClass, read_pages
from scrapy_web2text.common.arrays import BoolArray, FloatArray, IntArray
from scrapy_web2text.evaluation.corpora import open_corpus
from scrapy_web2text.evaluation.scores import word_tokens
from scrapy_web2text.extraction import Label
from scrapy_web2text.labelers.base import Labeling
from scrapy_web2text.labelers.modern.labeler import ModernLabeler
from scrapy_web2text.labelers.modern.roles import RoleNetwork, read_name_columns
from scrapy_web2text.labelers.roles import LEAST_PROBABILITY
from scrapy_web2text.labelers.weights import load_model
from scrapy_web2text.labels.files import hash_text
from scrapy_web2text.labels.pages import PageBlocks, read_blocks
from scrapy_web2text.options import ROLES, Role
from scrapy_web2text.page.blocks import MODERN_BLOCKS
from scrapy_web2text.training.corpora import corpus_facts, fold_of_site, site_of
from scrapy_web2text.training.export import write_model

READINGS: Final = Path(__file__).parents[1] / "models" / "readings"
N_FOLDS: Final = 5
WIDTH: Final = 64
EPOCHS: Final = 30
BATCH: Final = 8  # pages
RATE: Final = 3e-3
DECAY: Final = 1e-2
DROPOUT: Final = (0.2, 0.3)  # of the inputs, and of the hidden layer
LEAST_DEVIATION: Final = 0.2
# A page weighs more the more blocks it has, but not in proportion.
POWER: Final = 0.5


@dataclass(frozen=True, eq=False)
class RolePage:
    """A page whose roles were read.

    :param rows: the inputs of the network of roles. *Shape:* ``(n, k)``
    :param roles: number of the role of each block. *Shape:* ``(n,)``
    """

    rows: FloatArray
    roles: IntArray
    site: str


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("action", choices=("folds", "fit", "test"))
    parser.add_argument("model", type=Path, help="the folder of the model")
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpora")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the networks of each fold (%(default)s)")
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = load_model(args.model)
    if args.action == "test":
        test(ModernLabeler(model), args.data)
        return
    pages = [*load_pages(ModernLabeler(model), args.data)]
    found = cross_validate(pages, args.seeds)
    temperature = choose_temperature(found)
    print(f"{len(pages)} pages; temperature {temperature:.2f}\n")
    print_scores([(true, soften(chances, temperature)) for true, chances in found])
    if args.action == "fit":
        tensors = fit(pages, args.seeds[0])
        for name in ("roles.1.weight", "roles.1.bias"):
            tensors[name] /= np.float32(temperature)
        tensors["roles.0.weight"] = tensors["roles.0.weight"].astype(np.float16)
        manifest = {name: value for name, value in model.manifest.items() if name not in ("format_version", "weights")}
        write_model(args.model, model.tensors | tensors, manifest | {"roles": list(ROLES)}, {})


def read_roles(path: Path) -> list[dict[str, Any]]:
    """Return the pages of a file of roles: corpus, id, hashes of blocks, and runs of blocks by role."""
    with lzma.open(path) as file:
        return [json.loads(line) for line in file]


def load_pages(labeler: ModernLabeler, data: Path) -> Iterator[RolePage]:
    """Yield the pages whose roles were read, without pages whose blocks have changed."""
    by_corpus: dict[str, list[dict[str, Any]]] = {}
    for entry in read_roles(READINGS / "roles.jsonl.xz"):
        by_corpus.setdefault(entry["corpus"], []).append(entry)
    for name, entries in by_corpus.items():
        corpus = open_corpus(name, data, needs_texts=False)
        for entry, source in zip(entries, corpus.pages([entry["id"] for entry in entries]), strict=True):
            found = read_blocks(source.html)
            if [*map(hash_text, found.texts)] != entry["hashes"]:
                print(f"left out {name} {source.id}: its blocks have changed since it was read")
                continue
            yield RolePage(read_rows(labeler, found), number_roles(entry), site_of(corpus_facts(name), source))


def number_roles(entry: dict[str, Any]) -> IntArray:
    roles = np.full(len(entry["hashes"]), ROLES.index("other"))
    for role, runs in entry["roles"].items():
        for first, last in runs:
            roles[first : last + 1] = ROLES.index(role)
    return roles


def read_rows(labeler: ModernLabeler, found: PageBlocks) -> FloatArray:
    features = labeler.features(found.page, found.blocks)
    return np.concatenate([*labeler.network(features).rows, read_name_columns(features)], axis=1)


class Network(nn.Module):
    def __init__(self, n_inputs: int) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(n_inputs, WIDTH), nn.Linear(3 * WIDTH, len(ROLES))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the logits of the blocks of a page. *Shapes:* ``(n, k)`` -> ``(n, len(ROLES))``"""
        hidden = self._drop(torch.relu(self.inner(self._drop(rows, DROPOUT[0]))), DROPOUT[1])
        padded = nn.functional.pad(hidden, (0, 0, 1, 1))
        return self.outer(torch.cat([padded[:-2], hidden, padded[2:]], dim=1))

    def _drop(self, rows: torch.Tensor, share: float) -> torch.Tensor:
        return rows * ((torch.rand_like(rows) >= share) / (1 - share)) if self.training else rows


def fit(pages: Sequence[RolePage], seed: int) -> dict[str, FloatArray]:
    """Return the tensors of a network fitted to *pages*; its first layer takes rows that are not standardized."""
    torch.manual_seed(seed)
    rows = np.concatenate([page.rows for page in pages])
    mean, deviation = rows.mean(axis=0), rows.std(axis=0) + LEAST_DEVIATION
    inputs = [torch.from_numpy((page.rows - mean) / deviation) for page in pages]
    targets = [torch.from_numpy(page.roles) for page in pages]
    network = Network(rows.shape[1])
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    n_batches = -(-len(pages) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=EPOCHS * n_batches)
    random = np.random.default_rng(seed)
    for _ in range(EPOCHS):
        for batch in np.array_split(random.permutation(len(pages)), n_batches):
            optimizer.zero_grad()
            losses = [nn.functional.cross_entropy(network(inputs[i]), targets[i]) for i in batch]
            weights = [len(targets[i]) ** POWER / 10 for i in batch]
            torch.stack([loss * weight for loss, weight in zip(losses, weights, strict=True)]).mean().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    arrays = {name: tensor.detach().numpy() for name, tensor in network.named_parameters()}
    # safetensors writes memory as it is: the weights must be contiguous.
    inner = np.ascontiguousarray(arrays["inner.weight"].T) / deviation[:, None]
    return {
        "roles.0.weight": inner.astype(np.float32),
        "roles.0.bias": (arrays["inner.bias"] - mean @ inner).astype(np.float32),
        "roles.1.weight": np.ascontiguousarray(arrays["outer.weight"].T),
        "roles.1.bias": arrays["outer.bias"],
    }


def cross_validate(pages: Sequence[RolePage], seeds: Sequence[int]) -> list[tuple[IntArray, FloatArray]]:
    """Return the roles of each page, and their probabilities by a network trained on other sites, for each seed."""
    folds = np.array([fold_of_site(page.site, N_FOLDS) for page in pages])
    found = []
    for seed in seeds:
        for fold in range(N_FOLDS):
            network = RoleNetwork(fit([pages[i] for i in np.flatnonzero(folds != fold).tolist()], seed))
            inside = (pages[i] for i in np.flatnonzero(folds == fold).tolist())
            found += [(page.roles, network([page.rows])) for page in inside]
    return found


def soften(chances: FloatArray, temperature: float) -> FloatArray:
    powers = np.maximum(chances, 1e-12) ** (1 / temperature)
    return powers / powers.sum(axis=1, keepdims=True)


def choose_temperature(found: Sequence[tuple[IntArray, FloatArray]]) -> float:
    """Return the temperature of the least log loss."""
    true, chances = np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])

    def loss(temperature: float) -> float:
        return -float(np.log(soften(chances, temperature)[np.arange(len(true)), true]).mean())

    return min(np.arange(0.8, 2.5, 0.05).tolist(), key=loss)


def print_scores(found: Sequence[tuple[IntArray, FloatArray]]) -> None:
    true, chances = np.concatenate([each[0] for each in found]), np.concatenate([each[1] for each in found])
    told, best = chances.argmax(axis=1), chances.max(axis=1)
    rows = []
    for number, role in enumerate(ROLES):
        n_true, n_told, n_both = (
            int(x.sum()) for x in (true == number, told == number, (true == number) & (told == number))
        )
        rows.append(
            [
                role,
                f"{n_true:,}",
                *(f"{n_both / max(n, 1):.3f}" for n in (n_told, n_true)),
                f"{2 * n_both / max(n_told + n_true, 1):.3f}",
            ]
        )
    print(format_table(["role", "blocks", "precision", "recall", "F1"], rows))
    bins = np.minimum((best * 20).astype(int), 19)
    right = told == true
    gaps = [abs(float((right - best)[bins == each].sum())) for each in range(20)]
    print(f"\nright {right.mean():.4f}, expected calibration error {sum(gaps) / len(true):.4f}")


def test(labeler: ModernLabeler, data: Path) -> None:
    test_standfirsts(labeler, data)
    test_comments(labeler, data)
    test_classes(labeler, data)


def test_standfirsts(labeler: ModernLabeler, data: Path) -> None:
    """Print how many of the standfirsts that readers found are in the text: as labeled, and if leads are included."""
    n = n_labeled = n_included = n_added = n_pages = 0
    for entry in read_roles(READINGS / "standfirsts.jsonl.xz"):
        source = next(open_corpus(entry["corpus"], data).pages([entry["id"]]))
        found = read_blocks(source.html)
        labeling = labeler.label(found.page)
        assert labeling.roles is not None
        lead = np.isin([*map(hash_text, found.texts)], entry["lead"])
        content = labeling.labels == Label.CONTENT
        included = content | (labeling.roles()[:, ROLES.index("lead")] >= LEAST_PROBABILITY["lead"])
        n_pages, n = n_pages + 1, n + int(lead.sum())
        n_labeled, n_included = n_labeled + int(content[lead].sum()), n_included + int(included[lead].sum())
        n_added += int((included & ~content & ~lead).sum())
    print(f"standfirsts: {n} on {n_pages} pages; in the text {n_labeled / n:.3f}, if included {n_included / n:.3f}")
    print(f"other blocks that this adds: {n_added}\n")


def has_role(labeling: Labeling, *roles: Role) -> BoolArray:
    assert labeling.roles is not None
    return np.isin(labeling.roles().argmax(axis=1), [ROLES.index(role) for role in roles])


def test_comments(labeler: ModernLabeler, data: Path) -> None:
    """Print how well the words of Dragnet's comments are found."""
    name = "seeds/dragnet1381"
    hit = told = true = 0
    corpus = open_corpus(name, data)
    for source in corpus.pages():
        path = data / name / "text_comments" / f"{source.id}.txt"
        gold = path.read_text(encoding="utf-8", errors="ignore") if path.exists() else ""
        found = read_blocks(source.html)
        chosen = has_role(labeler.label(found.page), "comment", "post_header")
        words = Counter(
            word for text, is_chosen in zip(found.texts, chosen, strict=True) if is_chosen for word in word_tokens(text)
        )
        comments = Counter(word_tokens(gold))
        hit, told, true = hit + (words & comments).total(), told + words.total(), true + comments.total()
    print(f"comments of dragnet: precision {hit / told:.3f}, recall {hit / true:.3f} of {true:,} words\n")


def test_classes(labeler: ModernLabeler, data: Path) -> None:
    """Print the words of each class of L3S-GN1 by their roles."""
    table = np.zeros((len(TextClass), len(ROLES)), dtype=np.int64)
    for labeled in read_pages(data, MODERN_BLOCKS):
        labeling = labeler.label(labeled.page)
        if labeling.roles is not None and len(labeling.labels):
            np.add.at(table, (labeled.classes, labeling.roles().argmax(axis=1)), labeling.n_tokens)
    rows = [
        [
            each.name.lower().replace("_", " "),
            f"{table[each].sum():,}",
            *(f"{share:.3f}" for share in table[each] / max(table[each].sum(), 1)),
        ]
        for each in TextClass
    ]
    print(format_table(["class of L3S-GN1", "words", *ROLES], rows))


if __name__ == "__main__":
    main()
