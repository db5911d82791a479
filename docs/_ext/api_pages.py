"""A page for every public name, written before Sphinx reads the sources: `causewise.__all__` is the only list."""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any

MODULES = {
    "causewise": "What most people use",
    "causewise.scanning.result": "What a scan returns",
    "causewise.lab.datasets": "Labelled pairs",
    "causewise.protocol": "Methods of your own",
}
CHOSEN = {"causewise.scanning.result": ("Scan",), "causewise.protocol": ("Directional", "Joint", "PairScore")}
"""Of modules that list no names themselves."""


def public_names(module: str) -> list[str]:
    """The public names of a module, without its version."""
    names = CHOSEN.get(module) or import_module(module).__all__
    return [name for name in names if not name.startswith("_")]


def page(module: str, name: str) -> str:
    """The source of one page."""
    found = getattr(import_module(module), name)
    kind = "autoclass" if inspect.isclass(found) else "autofunction"
    members = "\n   :members:\n   :undoc-members:" if kind == "autoclass" else ""
    return f"# {name}\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n.. {kind}:: {name}{members}\n```\n"


def first_sentence(module: str, name: str) -> str:
    """What a name is, from its docstring."""
    paragraph = (inspect.getdoc(getattr(import_module(module), name)) or "").split("\n\n")[0]
    return " ".join(paragraph.split())


def listing() -> str:
    """Every name with its first sentence, a table a module; and the hidden tree of the pages."""
    text = ""
    for module, title in MODULES.items():
        rows = "\n".join(
            f"| [`{name}`](_api/{module}.{name}.md) | {first_sentence(module, name)} |" for name in public_names(module)
        )
        text += f"## {title}: `{module}`\n\n| name | what it is |\n|---|---|\n{rows}\n\n"
    tree = "\n".join(f"{name} <_api/{module}.{name}>" for module in MODULES for name in public_names(module))
    return f"{text}```{{toctree}}\n:hidden:\n\n{tree}\n```\n"


def write_pages(app: Any) -> None:
    """Write what has changed, and remove the pages of names that are gone."""
    folder = Path(app.srcdir) / "_api"
    folder.mkdir(exist_ok=True)
    pages = {f"{module}.{name}.md": page(module, name) for module in MODULES for name in public_names(module)}
    pages["listing.md"] = listing()
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def not_ours(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Whether to leave a member out: what scikit-learn adds to every estimator is explained there."""
    return True if name.endswith("_request") or name == "get_metadata_routing" else None


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", not_ours)
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
