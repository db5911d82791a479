// The matrix: a few paths whose colours the page's themes change, however many pairs there are.
(() => {
  const picture = document.getElementById("matrix");
  if (!picture) return;
  const { numbers, names, rows } = scan;
  const said = document.getElementById("matrix-said");
  const N = names.length, SHADES = 5;
  const SVG = "http://www.w3.org/2000/svg";
  const shape = (name, attributes, ...children) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const cell = Math.min(42, Math.max(5, 840 / N));
  const font = Math.min(12.5, Math.max(9.5, 0.6 * cell));
  const every = Math.ceil((font + 1) / cell);
  const short = (name) => {
    const letters = [...name];
    return letters.length <= 24 ? name : [...letters.slice(0, 16), "…", ...letters.slice(-7)].join("");
  };
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `${font}px ${getComputedStyle(document.body).fontFamily}`;
  const margin = 12 + Math.max(...names.map((name) => ruler.measureText(short(name)).width));
  const side = N * cell, size = margin + side + 2;
  const pairAt = new Map();
  rows.x.forEach((x, k) => { pairAt.set(x * N + rows.y[k], k); pairAt.set(rows.y[k] * N + x, k); });
  let arranged = [], rank = [], cursor = null;

  const strength = (k) => (rows.confidence[k] === null ? Number(scan.status(k) === "oriented") : Math.min(1, Math.max(0, 2 * rows.confidence[k] - 1)));
  const square = (i, j) => `M${margin + j * cell} ${margin + i * cell}h${cell}v${cell}h${-cell}z`;
  const triangle = (i, j, width, left) => {
    const x = margin + (j + 0.5) * cell, y = margin + (i + 0.5) * cell, w = (width * cell) / 2, turn = left ? -1 : 1;
    return `M${(x - turn * w * 0.8).toFixed(2)} ${(y - w).toFixed(2)}L${(x + turn * w).toFixed(2)} ${y.toFixed(2)}L${(x - turn * w * 0.8).toFixed(2)} ${(y + w).toFixed(2)}z`;
  };
  const dot = (i, j) => `M${margin + (j + 0.5) * cell} ${margin + (i + 0.5) * cell}h0`;
  const bar = (i, j) => `M${margin + (j + 0.28) * cell} ${margin + (i + 0.5) * cell}h${0.44 * cell}`;
  const cross = (i, j) => {
    const x = margin + (j + 0.5) * cell, y = margin + (i + 0.5) * cell, w = 0.22 * cell;
    return `M${x - w} ${y - w}L${x + w} ${y + w}M${x - w} ${y + w}L${x + w} ${y - w}`;
  };

  const draw = () => {
    const causesFirst = document.querySelector("#arrangement input:checked").value === "causes";
    arranged = causesFirst ? numbers.order : names.map((_, k) => k);
    rank = [];
    arranged.forEach((name, k) => { rank[name] = k; });
    const paths = {};
    const to = (kind, d, level = 0) => { (paths[kind] = paths[kind] || Array(SHADES).fill(""))[level] += d; };
    rows.x.forEach((x, k) => {
      const [i, j] = rows.way[k] < 0 ? [rank[rows.y[k]], rank[x]] : [rank[x], rank[rows.y[k]]];
      const status = scan.status(k), level = Math.min(SHADES - 1, Math.floor(SHADES * strength(k)));
      if (status === "oriented") {
        const against = causesFirst && i > j;
        to(against ? "against" : "arrow", square(i, j), level);
        to(against ? "against-mark" : "arrow-mark", triangle(i, j, 0.35 + 0.07 * level, false), level);
        to("effect-mark", triangle(j, i, 0.3, true));
      } else if (status === "given" && rows.way[k]) {
        to("given", square(i, j));
        to("given-mark", triangle(i, j, 0.35, false));
        to("given-effect-mark", triangle(j, i, 0.3, true));
      } else if (status === "given") {
        to("unrelated", square(i, j) + square(j, i));
        to("given-apart", bar(i, j) + bar(j, i));
      } else if (status === "unrelated") to("unrelated", square(i, j) + square(j, i));
      else if (status === "undecided") to("undecided", dot(i, j) + dot(j, i), level);
      else to("failed", cross(i, j) + cross(j, i));
    });
    const grid = Array.from({ length: N + 1 }, (_, k) => `M${margin + k * cell} ${margin}v${side}M${margin} ${margin + k * cell}h${side}`);
    const diagonal = arranged.map((_, k) => square(k, k)).join("");
    const drawn = [shape("rect", { class: "sheet", x: margin, y: margin, width: side, height: side })];
    for (const kind of ["unrelated", "given", "arrow", "against"]) {
      (paths[kind] || []).forEach((d, level) => d && drawn.push(shape("path", { class: kind, d, "fill-opacity": kind === "unrelated" ? 1 : kind === "given" ? 0.3 : 0.4 + 0.15 * level })));
    }
    drawn.push(shape("path", { class: "diagonal", d: diagonal }));
    if (cell >= 8) drawn.push(shape("path", { class: "lines", d: grid.join("") }));
    for (const kind of ["arrow-mark", "against-mark", "effect-mark", "given-mark", "given-effect-mark", "given-apart", "failed"]) {
      (paths[kind] || []).forEach((d) => d && drawn.push(shape("path", { class: kind, d })));
    }
    (paths.undecided || []).forEach((d, level) => d && drawn.push(shape("path", { class: "undecided", d, "stroke-width": cell * (0.22 + 0.08 * level + (cell < 12 ? 0.25 : 0)) })));
    arranged.forEach((name, k) => {
      if (k % every) return;
      const middle = margin + (k + 0.5) * cell;
      drawn.push(shape("text", { x: margin - 6, y: middle + 0.35 * font, "text-anchor": "end", "font-size": font }, short(names[name])));
      drawn.push(shape("text", { x: 0, y: 0, "font-size": font, transform: `translate(${middle + 0.35 * font} ${margin - 6}) rotate(-90)` }, short(names[name])));
    });
    drawn.push(shape("path", { class: "cross-hair", d: "" }), shape("path", { class: "cursor", d: "" }));
    picture.replaceChildren(...drawn);
    point();
  };
  const point = () => {
    const hair = picture.querySelector(".cross-hair"), frame = picture.querySelector(".cursor");
    if (!cursor) return [hair, frame].forEach((each) => each.setAttribute("d", ""));
    const [i, j] = cursor;
    hair.setAttribute("d", `M${margin} ${margin + i * cell}h${side}v${cell}h${-side}zM${margin + j * cell} ${margin}v${side}h${cell}v${-side}z`);
    frame.setAttribute("d", square(i, j));
    const [row, column] = [arranged[i], arranged[j]];
    const k = pairAt.get(row * N + column);
    said.textContent = k !== undefined ? scan.describe(k) : row === column ? names[row] : `${names[row]} and ${names[column]}: not scored`;
  };
  const cellUnder = (event) => {
    const box = picture.getBoundingClientRect();
    const scale = size / box.width;
    const j = Math.floor(((event.clientX - box.left) * scale - margin) / cell);
    const i = Math.floor(((event.clientY - box.top) * scale - margin) / cell);
    return i >= 0 && j >= 0 && i < N && j < N ? [i, j] : null;
  };
  const open = () => {
    const k = cursor && pairAt.get(arranged[cursor[0]] * N + arranged[cursor[1]]);
    if (k !== undefined && k !== null) openPair(k);
  };
  picture.setAttribute("viewBox", `0 0 ${size.toFixed(1)} ${size.toFixed(1)}`);
  picture.setAttribute("width", Math.round(size));
  picture.classList.toggle("wide", N > 16);
  picture.addEventListener("pointermove", (event) => {
    const found = cellUnder(event);
    if (found) { cursor = found; point(); }
  });
  picture.addEventListener("click", (event) => { cursor = cellUnder(event); point(); open(); });
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (step) {
      event.preventDefault();
      cursor = cursor ? cursor.map((at, axis) => Math.min(N - 1, Math.max(0, at + step[axis]))) : [0, Math.min(1, N - 1)];
      point();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open();
    }
  });
  for (const each of document.querySelectorAll("#arrangement input")) each.addEventListener("change", () => { cursor = null; draw(); });
  draw();

  const key = (kind, mark, words) => {
    const sample = shape("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, shape("rect", { class: kind || "sheet", width: 20, height: 20 }), ...mark);
    return build("li", {}, sample, words);
  };
  const right = (name) => shape("path", { class: name, d: "M6 5L15 10L6 15z" });
  const has = (status) => rows.x.some((_, k) => scan.status(k) === status);
  const isDrawn = (name) => picture.querySelector(`.${name}`) !== null;
  const oriented = has("oriented");
  const against = isDrawn("against");
  document.getElementById("matrix-legend").append(...[
    oriented && key("arrow", [right("arrow-mark")], "causes the column above"),
    against && key("against", [right("against-mark")], "causes it, against the order"),
    oriented && key("", [shape("path", { class: "effect-mark", d: "M14 5L6 10L14 15z" })], "is caused by it"),
    isDrawn("given") && key("given", [right("given-mark")], "is given to cause it"),
    isDrawn("given-apart") && key("unrelated", [shape("path", { class: "given-apart", d: "M5.6 10h8.8" })], "is given as unrelated"),
    has("undecided") && key("", [shape("path", { class: "undecided", d: "M10 10h0", "stroke-width": 7 })], "related, undecided"),
    has("unrelated") && key("unrelated", [], "unrelated"),
    has("failed") && key("", [shape("path", { class: "failed", d: "M5 5L15 15M5 15L15 5" })], "could not be scored"),
  ].filter(Boolean));
})();
