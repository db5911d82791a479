"""The paper as PDF: `python paper/build.py OUT.pdf`, with pandoc and typst from the package index (`make paper`).

A warning of pandoc, such as a citation without an entry in paper.bib, is an error. JOSS builds the same paper.md by
LaTeX.
"""

import subprocess
import sys
from pathlib import Path

import pypandoc
import typst

HERE = Path(__file__).parent


def convert() -> bytes:
    """The paper as typst's markup."""
    options = ["--standalone", "--fail-if-warnings", "--to=typst", "--template=template.typ", "--wrap=none"]
    options += ["--columns=200"]  # a wider table would share the width of the page among its columns
    options += ["--lua-filter=references.lua", "--citeproc", "paper.md"]
    run = subprocess.run([pypandoc.get_pandoc_path(), *options], cwd=HERE, check=True, stdout=subprocess.PIPE)
    return run.stdout


def main(target: Path) -> None:
    """Write the PDF."""
    target.parent.mkdir(parents=True, exist_ok=True)
    typst.compile(convert(), output=target, root=HERE)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
