"""A Decision as a picture, a page and a notebook's card; computed once, rendered many times.

wording, printed_sum        names, numbers and p-values as text; a score in digits that add up
stance, measures            how firmly the answer stands; its numbers as rows of tables
provenance                  how to repeat the decision and how to cite it
ordered, geometry, summary  columns sorted once; what is drawn; everything a page shows, before it is rendered
ticks, density              the numbers along an axis; many rows as shaded hexagons
panels, picture             one direction on given axes; the figure of both, and its file
scan_look, scan_matrix, scan_graph   the pictures of a scan: what they share; all pairs; the arrows
inline                      a figure as SVG inside a page
pair_numbers                one pair as numbers, for draw.js in any page
scan_numbers, scan_svg, scan_page    a scan as numbers and shapes; its self-contained page
page, card                  the self-contained HTML page; its head for notebooks
files                       templates in, whole files out
"""
