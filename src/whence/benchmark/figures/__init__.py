"""The paper's figures and two more, drawn from rows; each family in a file of its own, each saved as PDF, SVG, PNG."""
