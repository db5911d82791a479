"""What the README shows is what a reader gets."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[1] / "README.md").read_text()


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL).group(1)


def test_the_example_prints_what_the_readme_says():
    run = subprocess.run([sys.executable, "-c", block("python")], capture_output=True, text=True)
    assert run.stdout == block("text")


def test_it_stays_short_and_its_links_lead_somewhere():
    assert len(README.splitlines()) <= 150
    for target in re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README):
        assert (Path(__file__).parents[1] / target).exists(), target
