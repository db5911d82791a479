"""The places that say the version agree: the package and CITATION.cff; for a release also its tag and CHANGELOG.md.

    python -m release.version [v0.1.0]

The package's is the one that counts, and the build reads it there. The standard library is enough to run this.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def stated(root: Path = ROOT) -> dict[str, str]:
    """What each file says; an empty string where it says nothing."""
    places = {
        "src/causewise/version.py": r'^VERSION = "(.+)"$',
        "CITATION.cff": r"^version: (\S+)$",
    }
    found = {name: re.search(line, (root / name).read_text("utf-8"), re.MULTILINE) for name, line in places.items()}
    return {name: match[1] if match else "" for name, match in found.items()}


def disagreements(tag: str | None, root: Path = ROOT) -> list[str]:
    """One sentence for each place that says something else than the package."""
    said = stated(root)
    version = said["src/causewise/version.py"]
    other = [f"{name} says {text!r}; expected {version}." for name, text in said.items() if text != version]
    if tag is None:
        return other
    if tag != f"v{version}":
        other.append(f"The tag is {tag!r}; expected v{version}.")
    heading = rf"^## \[{re.escape(version)}\] - \d{{4}}-\d{{2}}-\d{{2}}$"
    if not re.search(heading, (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE):
        other.append(f"CHANGELOG.md has no heading of this release; expected ## [{version}] - YYYY-MM-DD.")
    return other


def main() -> int:
    """Print what disagrees."""
    found = disagreements(sys.argv[1] if len(sys.argv) > 1 else None)
    print("\n".join(found) or f"version {stated()['src/causewise/version.py']}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
