"""The data directory: where it is, which sets are in it, load() from it and write() into it.

A published set lies there in the published layout; a generated one as `<name>/pair_<i>.txt` and `pairs_gt.txt`, with a
note on what drew it.
"""

import json
import os
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from causewise.errors import InputError
from causewise.files import replace_with
from causewise.lab.datasets.collection import Collection, LabelledPair, LazyPairs
from causewise.lab.datasets.readers import read_indexed_csv
from causewise.lab.datasets.registry import PublishedSet, published_set
from causewise.version import VERSION

VARIABLE = "CAUSEWISE_DATA"
GENERATED = "generated.toml"
"""Marks a folder that `causewise data generate` wrote, and says with what seed."""
LABELS = "pairs_gt.txt"


class AbsentError(InputError):
    """A published set is not in the data directory."""


def load(name: str, data_dir: str | Path | None = None, limit: int | None = None) -> Collection:
    """The data set `name` in file order, its first `limit` pairs only where a limit is given.

    A set that `generate` wrote into the data directory under the same name comes first; its title says so.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from causewise.lab.datasets import generate, load
    >>> from causewise.lab.datasets.storage import write
    >>> with TemporaryDirectory() as folder:
    ...     _ = write(generate("LS", pairs=3, n=100), Path(folder), seed=0)
    ...     print(len(load("LS", folder)))
    3
    """
    if limit is not None and limit < 1:
        raise InputError(f"Got limit={limit}; expected a number of pairs, at least 1, or none for all of them.")
    root = data_folder(data_dir)
    generated = root / name / GENERATED
    if generated.is_file():
        return _load_generated(generated, limit)
    known = published_set(name)
    if not known.is_present(root):
        raise absent_error(known, root)
    labels = known.read_labels(root / known.folder)
    return Collection(known.name, LazyPairs(name, labels)[:limit], known.title, known.citation, known.exclusions)


def data_folder(asked: str | Path | None = None) -> Path:
    """The folder asked for, else the one CAUSEWISE_DATA names, else a per-user cache; nothing is created."""
    if asked is not None:
        return Path(asked).expanduser()
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE]).expanduser()
    local = os.environ.get("LOCALAPPDATA")
    if sys.platform == "win32" and local:
        return Path(local, "causewise", "causewise", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "causewise"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "causewise")


def absent_error(known: PublishedSet, root: Path) -> AbsentError:
    """The sentence for a set that is not there."""
    return AbsentError(
        f"The data set {known.name} is not in {root}; expected the files of {known.title} in {root / known.folder} "
        f"(with {known.labels}): run `causewise data fetch {known.name}`, put the files there by hand (they are at "
        f"{known.home}), or set {VARIABLE} to a folder that holds them in the published layout."
    )


def absent_sets_error(names: Sequence[str], root: Path) -> AbsentError:
    """One sentence for all the sets that are not there."""
    if len(names) == 1:
        return absent_error(published_set(names[0]), root)
    return AbsentError(
        f"The data sets {', '.join(names)} are not in {root}; run `causewise data fetch all`, put their files there by "
        f"hand, or set {VARIABLE} to a folder that holds them in the published layout."
    )


def write(collection: Collection, root: Path, seed: int) -> Path:
    """Write every pair of a generated collection under `root / name`, so that `load` finds it there."""
    folder = root / collection.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The note makes the folder loadable: it goes first and comes back last, so that a crash leaves no mixed set.
        (folder / GENERATED).unlink(missing_ok=True)
        for index, labelled in enumerate(collection.pairs, start=1):
            (folder / f"pair_{index}.txt").write_text(_csv(labelled), encoding="ascii")
        truths = "".join(f"{int(labelled.truth > 0)}\n" for labelled in collection.pairs)
        (folder / LABELS).write_text(truths, encoding="ascii")
        replace_with(folder / GENERATED, _note(collection, seed).encode())
    except OSError as problem:
        raise InputError(
            f"Could not write {folder} ({problem.strerror or problem}); expected a folder with write permission and "
            "room: choose another one."
        ) from None
    return folder


def _load_generated(note: Path, limit: int | None) -> Collection:
    try:
        about = tomllib.loads(note.read_text(encoding="utf-8"))
        name, title, citation = (str(about[key]) for key in ("name", "title", "citation"))
        count = int(about["pairs"])
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise InputError(
            f"Could not read {note} ({type(problem).__name__}: {problem}); expected the note that `causewise data "
            "generate` writes: generate the set again, or remove its folder."
        ) from None
    labels = read_indexed_csv(note.with_name(LABELS))[:count]
    return Collection(name, LazyPairs(name, labels)[:limit], title, citation)


def _csv(labelled: LabelledPair) -> str:
    # `repr` of a float is the shortest text that reads back to the same bits.
    rows = zip(labelled.pair.x.tolist(), labelled.pair.y.tolist(), strict=True)
    return '"","x","y"\n' + "".join(f'"{row}",{x!r},{y!r}\n' for row, (x, y) in enumerate(rows, start=1))


def _note(collection: Collection, seed: int) -> str:
    fields: dict[str, str | int] = {
        "name": collection.name,
        "title": collection.title,
        "citation": collection.citation,
        "pairs": len(collection),
        "rows": collection.pairs[0].pair.n,
        "seed": seed,
        "causewise": VERSION,
        "numpy": version("numpy"),
    }
    # A JSON string is a valid TOML string, and the standard library writes no TOML.
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
