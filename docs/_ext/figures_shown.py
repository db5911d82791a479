"""Pictures for the gallery that pyplot knows nothing of: the figure that a block leaves in the variable `figure`."""

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_saved: list[Figure] = []
"""Kept, so that no later figure can have the identity of an earlier one."""


def _save(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    figure = block_vars["example_globals"].get("figure")
    if not isinstance(figure, Figure) or any(figure is each for each in _saved):
        return ""
    _saved.append(figure)
    if any(plt.figure(number) is figure for number in plt.get_fignums()):
        return ""  # the gallery's own scraper comes next, and takes it
    path = next(block_vars["image_path_iterator"])
    figure.savefig(path, dpi=110)
    return figure_rst([path], gallery_conf["src_dir"])


def _get_sg_image_scraper() -> Any:
    """How the gallery asks a module for its scraper."""
    return _save
