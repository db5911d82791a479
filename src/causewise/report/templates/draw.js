"use strict";
// One pair drawn from its numbers (see pair_numbers.py): drawPair fills an element with the three outcomes, both
// directions and the sum of the score; drawCloud draws the rows alone, drawTerms the sum alone, outcomeBar the outcomes
// without words; `drawing` has the parts of which other pictures are made. Text is always set as text, never as markup.
const { build, drawPair, drawCloud, drawTerms, drawOutcomes, outcomeBar, drawing } = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 400, LEFT = 56, RIGHT = 8, LIMIT = 6;

  const add = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  };
  const build = (name, attributes = {}, ...children) => add(document.createElement(name), attributes, children);
  const shape = (name, attributes = {}, ...children) => add(document.createElementNS(SVG, name), attributes, children);
  const tenth = (value) => Math.round(10 * value) / 10;
  // Names may run from right to left; isolated, they do not turn the arrow round.
  const arrow = (cause, effect, between = " → ") => [build("bdi", {}, cause), between, build("bdi", {}, effect)];

  const ticks = (low, high, most) => {
    const rough = (high - low) / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= rough);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high + 1e-9 * step; k++) found.push(k * step);
    return found.map((value) => ({ value, text: label(value, step) }));
  };
  const label = (value, step) => {
    const size = Math.max(Math.abs(value), step);
    if (size >= 1e6 || step < 1e-4) {
      const [digits, power] = value.toExponential(2).split("e");
      return value === 0 ? "0" : `${minus(String(Number(digits)))}e${minus(String(Number(power)))}`;
    }
    const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    const [whole, rest] = Math.abs(value).toFixed(decimals).split(".");
    const grouped = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return (value < 0 && Number(value.toFixed(decimals)) !== 0 ? "−" : "") + grouped + (rest ? `.${rest}` : "");
  };
  const minus = (text) => text.replace("-", "−");
  const signed = (value) => (value > 0 ? "+" : "") + minus(String(value));
  const shortened = (name, most) => {
    const letters = [...name];
    const tail = Math.floor(most / 3);
    return letters.length <= most ? name : [...letters.slice(0, most - 1 - tail), "…", ...letters.slice(-tail)].join("");
  };

  // A frame with its grid and names; gives back the places of values in it.
  const axes = (picture, top, height, across, up, names, room = WIDTH) => {
    const widened = ([low, high]) => {
      const margin = high > low ? 0.05 * (high - low) : 1;
      return [low - margin, high + margin];
    };
    const [[x0, x1], [y0, y1]] = [widened(across), widened(up)];
    const width = room - LEFT - RIGHT;
    const x = (value) => tenth(LEFT + (width * (value - x0)) / (x1 - x0));
    const y = (value) => tenth(top + (height * (y1 - value)) / (y1 - y0));
    const grid = shape("g", { class: "grid" });
    for (const { value, text } of ticks(x0, x1, 5)) {
      grid.append(shape("path", { d: `M${x(value)} ${top}v${height}` }));
      grid.append(shape("text", { x: x(value), y: top + height + 14, "text-anchor": "middle" }, text));
    }
    for (const { value, text } of ticks(y0, y1, Math.max(2, height / 36))) {
      grid.append(shape("path", { d: `M${LEFT} ${y(value)}h${width}` }));
      grid.append(shape("text", { x: LEFT - 6, y: y(value) + 3.5, "text-anchor": "end" }, text));
    }
    const middle = top + height / 2;
    picture.append(
      grid,
      shape("rect", { class: "frame", x: LEFT, y: top, width, height }),
      shape("text", { class: "name", x: LEFT + width / 2, y: top + height + 30, "text-anchor": "middle" }, shortened(names[0], 44)),
      shape("text", { class: "name", x: 11, y: middle, "text-anchor": "middle", transform: `rotate(-90 11 ${middle})` },
        shortened(names[1], Math.round(height / 7))),
    );
    return { x, y };
  };

  // Zero-length strokes, which round caps turn into dots; in layers, so that dots that overlap grow darker.
  const dots = (place, across, up) => {
    const layers = ["", "", "", ""];
    across.forEach((value, k) => { layers[k % 4] += `M${place.x(value)} ${place.y(up[k])}h0`; });
    const n = Math.max(across.length, 1);
    const size = Math.min(5, Math.max(2.2, 18 / n ** 0.25)).toFixed(1);
    const opacity = Math.min(0.75, Math.max(0.3, 5 / n ** 0.35)).toFixed(2);
    const group = shape("g", { class: "dots", "stroke-width": size, "stroke-opacity": opacity });
    group.append(...layers.filter(Boolean).map((d) => shape("path", { d })));
    return group;
  };
  const line = (place, across, up) => across.map((value, k) => `${k ? "L" : "M"}${place.x(value)} ${place.y(up[k])}`).join("");
  const inside = (side, value) => {
    const margin = 0.05 * (side.up[1] - side.up[0]);
    return Math.min(side.up[1] + margin, Math.max(side.up[0] - margin, value));
  };

  const fit = (picture, side, [cause, effect]) => {
    const place = axes(picture, 8, 220, side.across, side.up, [side.cause, side.effect]);
    picture.append(dots(place, cause, effect));
    for (const piece of side.curve) {
      if (piece.low) {
        const [low, high] = [piece.low, piece.high].map((edge) => edge.map((value) => inside(side, value)));
        const back = line(place, [...piece.cause].reverse(), [...low].reverse()).replace("M", "L");
        picture.append(shape("path", { class: "band", d: `${line(place, piece.cause, high)}${back}Z` }));
        for (const edge of [low, high]) picture.append(shape("path", { class: "edge", d: line(place, piece.cause, edge) }));
      }
      const mean = piece.mean.map((value) => inside(side, value));
      picture.append(shape("path", { class: "mean", d: line(place, piece.cause, mean) }));
    }
  };
  const residuals = (picture, side, cause) => {
    const reach = Math.min(LIMIT, Math.max(3.2, ...side.residual.map(Math.abs)));
    const place = axes(picture, 276, 150, side.across, [-reach, reach], [side.cause, "residual"]);
    for (const level of [-2, 0, 2]) {
      picture.append(shape("path", { class: level ? "level far" : "level", d: `M${LEFT} ${place.y(level)}H${WIDTH - RIGHT}` }));
    }
    picture.append(dots(place, cause, side.residual));
    for (const piece of side.drift) {
      for (const level of piece.levels) picture.append(shape("path", { class: "drift", d: line(place, piece.cause, level) }));
    }
    if (side.beyond) {
      const words = `${side.beyond} row${side.beyond === 1 ? "" : "s"} beyond ±${LIMIT}`;
      picture.append(shape("text", { class: "beyond", x: WIDTH / 2 + 20, y: 421, "text-anchor": "middle" }, words));
    }
  };
  const described = (side) => {
    const curve = side.curve.length ? ", with the fitted mean and a band of two standard deviations" : "";
    const rest = side.residual ? `; below, the standardised residual against ${side.cause}` : "";
    return `${side.cause} → ${side.effect}, ${side.outcome}: scatter of ${side.effect} against ${side.cause}${curve}${rest}.`;
  };
  const figure = (side, turned) => {
    const height = side.residual ? 462 : 264;
    const picture = shape("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": described(side) });
    fit(picture, side, turned);
    if (side.residual) residuals(picture, side, turned[0]);
    const mark = side.chosen ? [" ", build("span", { class: "mark" }, side.mark || "chosen")] : [];
    const kind = side.chosen ? ` ${side.mark || "chosen"}` : side.contested ? " against" : " plain";
    return build("figure", { class: `side${kind}` },
      build("figcaption", {}, build("strong", {}, ...arrow(side.cause, side.effect)), ...mark, build("br"), build("span", {}, side.outcome)),
      build("div", { class: "panels drawn" }, picture));
  };

  // Three parts that add up to the whole width (see outcomes.html); the direction that is shown comes first, so that it
  // reaches the mark where an answer is given.
  const outcomeBar = ({ parts, threshold }, attributes) => {
    let end = 0;
    const rects = parts.map(({ kind, value }) => {
      const rect = shape("rect", { class: kind, x: tenth(100 * end), y: 1, width: tenth(100 * value), height: 8 });
      end += value;
      return rect;
    });
    const mark = threshold === null ? [] : [shape("path", { class: "needed", d: `M${tenth(100 * threshold)} 0v10` })];
    return shape("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", ...attributes }, ...rects, ...mark);
  };
  const drawOutcomes = (element, outcomes) => {
    const parts = outcomes.parts.map(({ name, text }) => `${name} ${text}`);
    const key = outcomes.parts.map(({ kind, name, text }) => build("li", { class: kind }, build("bdi", {}, name), " ", build("strong", {}, text)));
    if (outcomes.needed) key.push(build("li", { class: "needed" }, outcomes.needed));
    const words = [parts.join(", "), outcomes.needed].filter(Boolean).join("; ");
    element.replaceChildren(outcomeBar(outcomes, { role: "img", "aria-label": words }), build("ul", {}, ...key));
  };

  // Each bar begins where the one before ended, so that the last end is the sum; the score is that times the weight.
  const drawTerms = (element, sum, x, y) => {
    const value = (text) => Number(text.replace("−", "-"));
    const steps = [];
    let end = 0;
    for (const term of sum.terms.filter((each) => each.value)) {
      steps.push({ name: term.name, text: term.text, from: end, to: end + term.value, kind: "term" });
      end += term.value;
    }
    steps.push({ name: "sum", text: sum.total, from: 0, to: value(sum.total), kind: "total" });
    const weighed = sum.given ? value(sum.score) - sum.given.value : value(sum.score);
    if (sum.given) {
      steps.push({ name: `× weight ${sum.weight}`, text: sum.weighed, from: 0, to: weighed, kind: "total" });
      steps.push({ name: "given beforehand", text: sum.given.text, from: weighed, to: value(sum.score), kind: "term" });
    }
    steps.push({ name: sum.given ? "= score" : `× weight ${sum.weight} = score`, text: sum.score, from: 0, to: value(sum.score), kind: "score" });
    const reach = Math.max(sum.reach, ...steps.flatMap(({ from, to }) => [Math.abs(from), Math.abs(to)]));
    const place = (at) => tenth(150 + (146 * at) / reach);
    const marks = [-6, -3, 3, 6];
    const rows = steps.map(({ name, text, from, to, kind }) => {
      const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))];
      const bar = shape("svg", { viewBox: "0 0 300 22", preserveAspectRatio: "none", "aria-hidden": "true" },
        shape("path", { class: "tick", d: marks.map((at) => `M${place(at)} 0v22`).join("") }),
        shape("path", { class: "zero", d: `M${place(0)} 0v22` }),
        shape("rect", { class: `stretch ${kind}`, x: left, y: 4, width: Math.max(right - left, 1), height: 14 }));
      return build("tr", { class: kind }, build("th", { scope: "row" }, name), build("td", { class: "room" }, bar), build("td", { class: "amount" }, text));
    });
    const scale = shape("svg", { viewBox: "0 0 300 16", "aria-hidden": "true" },
      ...[-6, -3, 0, 3, 6].map((at) => shape("text", { x: place(at), y: 11, "text-anchor": "middle" }, signed(at))));
    rows.push(build("tr", { class: "scale" }, build("th"), build("td", { class: "room" }, scale), build("td")));
    element.replaceChildren(
      build("p", { class: "ways" }, "To the right (+) speaks for ", build("bdi", {}, x), " → ", build("bdi", {}, y), ", to the left (−) for the other way."),
      build("table", { class: "bars" }, build("tbody", {}, ...rows)));
  };

  const drawPair = (element, numbers) => {
    const [x, y] = numbers.dots;
    const sides = build("div", { class: "sides" });
    numbers.sides.forEach((side, k) => sides.append(figure(side, k ? [y, x] : [x, y])));
    const parts = [];
    if (numbers.outcomes) {
      const outcomes = build("div", { class: "outcomes" });
      drawOutcomes(outcomes, numbers.outcomes);
      parts.push(outcomes);
    }
    parts.push(sides);
    if (numbers.sum) {
      const terms = build("div", { class: "terms-drawn" });
      drawTerms(terms, numbers.sum, numbers.x, numbers.y);
      parts.push(build("h3", {}, "How the score adds up"), terms);
    }
    element.replaceChildren(...parts);
  };

  const drawCloud = (element, x, y, names) => {
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    const words = `Scatter of ${names[1]} against ${names[0]}.`;
    const picture = shape("svg", { viewBox: `0 0 ${WIDTH} 264`, role: "img", "aria-label": words });
    const place = axes(picture, 8, 220, ends(x), ends(y), names);
    picture.append(dots(place, x, y));
    element.replaceChildren(build("div", { class: "panels drawn cloud" }, picture));
  };

  return { build, drawPair, drawCloud, drawTerms, drawOutcomes, outcomeBar, drawing: { shape, axes, dots, line, tenth } };
})();
