"""The site, built offline by `make docs`: the pages, the gallery, run, and a page for every public name."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

from causewise.version import VERSION

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "Agg")

project = "causewise"
author = "The causewise authors"
# The licence's year, unless the build is told its date: the same sources give the same pages.
year = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", 1767225600)), UTC).year
copyright = f"{year}, {author}"
version = release = VERSION

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "api_pages",
    "bench_pages",
]
exclude_patterns = ["gallery", "_api/listing.md", "_benchmarks/*.md", "**sg_execution_times.rst"]
suppress_warnings = ["config.cache"]  # the gallery's settings cannot be pickled
lexers["csv"] = TextLexer()

myst_enable_extensions = ["colon_fence", "attrs_inline"]
myst_heading_anchors = 3

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "reset_modules": ("matplotlib",),
    "image_scrapers": ("figures_shown", "matplotlib"),
}

html_theme = "pydata_sphinx_theme"
html_title = "causewise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["llms.txt"]
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "start": [], "reading": [], "trust": [], "choosing": [], "faq": []}
html_sidebars |= {"architecture": [], "contributing": [], "changes": [], "benchmarks/every-method": []}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "benchmarks/every-method": []},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
