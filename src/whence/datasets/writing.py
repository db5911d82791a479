"""A collection -> files: `<name>/pair_<i>.txt` and `pairs_gt.txt`, with a note on what drew them; and back."""

import tomllib
from pathlib import Path

import numpy as np

from whence.datasets.collection import Collection, LabelledPair, LazyPairs
from whence.datasets.folder import GENERATED
from whence.datasets.readers import indexed_csv
from whence.pair import InputError
from whence.version import VERSION

LABELS = "pairs_gt.txt"


def write(collection: Collection, root: Path, seed: int) -> Path:
    """Write every pair under `root / name`; the note that makes the folder loadable is written last."""
    folder = root / collection.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / GENERATED).unlink(missing_ok=True)
        for index, labelled in enumerate(collection.pairs, start=1):
            (folder / f"pair_{index}.txt").write_text(_csv(labelled), encoding="ascii")
        truths = "".join(f"{int(labelled.truth > 0)}\n" for labelled in collection.pairs)
        (folder / LABELS).write_text(truths, encoding="ascii")
        _write_note(folder, collection, seed)
    except OSError as problem:
        raise InputError(
            f"Could not write {folder} ({problem.strerror or problem}); expected a folder with write permission and "
            "room: choose another one."
        ) from None
    return folder


def read_generated(note: Path, limit: int | None) -> Collection:
    """A folder written by `write`."""
    about = tomllib.loads(note.read_text(encoding="utf-8"))
    labels = indexed_csv.labels(note.parent, note.parent / LABELS)[: about["pairs"]]
    pairs = LazyPairs(about["name"], labels)[:limit]
    return Collection(about["name"], pairs, about["title"], about["citation"])


def _csv(labelled: LabelledPair) -> str:
    """`repr` of a float is the shortest text that reads back to the same bits."""
    rows = zip(labelled.pair.x.tolist(), labelled.pair.y.tolist(), strict=True)
    return '"","x","y"\n' + "".join(f'"{row}",{x!r},{y!r}\n' for row, (x, y) in enumerate(rows, start=1))


def _write_note(folder: Path, collection: Collection, seed: int) -> None:
    fields: dict[str, str | int] = {
        "name": collection.name,
        "title": collection.title,
        "citation": collection.citation,
        "pairs": len(collection),
        "rows": collection.pairs[0].pair.n,
        "seed": seed,
        "whence": VERSION,
        "numpy": np.__version__,
    }
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in fields.items())
    partial = folder / (GENERATED + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(folder / GENERATED)


def _toml(value: str | int) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)
