// What becomes of a column where another is set: two columns are chosen, the value is dragged, the numbers stand beside.
// Every curve was computed before (see what_if.py); between its points numbers are interpolated.
(() => {
  const source = document.getElementById("effect-numbers");
  if (!source) return;
  const { shape, axes, dots, line, tenth } = drawing;
  const { columns, pairs, first, at: begin, printed } = JSON.parse(source.textContent);
  const WIDTH = 460, PLOT = 364, TOP = 8, HEIGHT = 236, STEPS = 200;
  const find = (name) => document.getElementById(`what-if-${name}`);
  const [causes, effects, slider, field, room] = ["cause", "effect", "value", "number", "drawn"].map(find);

  const superscript = (text) => text.replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  const short = (value) => {
    if (value === 0) return "0";
    const sign = value < 0 ? "−" : "";
    const [digits, power] = Math.abs(value).toExponential(2).split("e").map(Number);
    if (power < -4 || power >= 6) return `${sign}${digits}×10${superscript(String(power))}`;
    const [whole, rest] = String(Number(Math.abs(value).toPrecision(3))).split(".");
    return sign + (whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole) + (rest ? `.${rest}` : "");
  };
  const interpolate = (at, curve, value) => {
    const next = at.findIndex((each) => each >= value);
    if (next < 0) return curve[curve.length - 1];
    if (next === 0 || at[next] === value) return curve[next];
    const share = (value - at[next - 1]) / (at[next] - at[next - 1]);
    return curve[next - 1] + share * (curve[next] - curve[next - 1]);
  };
  const evaluate = (pair, value) => {
    const [mean, scale, margin, scaleMargin] = ["mean", "scale", "margin", "scale_margin"]
      .map((name) => (pair[name] ? interpolate(pair.at, pair[name], value) : null));
    const [low, high] = columns[pair.cause].span;
    return { value, mean, scale, margin, scaleMargin, beyond: value < low || value > high };
  };
  const bounds = (value, margin, level, least = -Infinity) =>
    margin === null ? "" : ` (${level}: ${short(Math.max(value - margin, least))} to ${short(value + margin)})`;
  // Values that the slider stops at: those of a column that has few, else equal steps, the ends of the rows among them.
  const stops = (pair) => {
    if (pair.levels) return pair.at;
    const [low, high] = [pair.at[0], pair.at[pair.at.length - 1]];
    const even = Array.from({ length: STEPS + 1 }, (_, k) => low + (k * (high - low)) / STEPS);
    const decimals = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(high - low))));
    return even.map((value) => Number(value.toFixed(decimals)));
  };

  // The range of the effect: its rows, and what the curve says where there are rows; half as much again at most.
  const heights = (pair) => {
    const { span: [least, most], mean, sd } = columns[pair.effect];
    const [low, high] = columns[pair.cause].span;
    const inside = pair.at.map((value, k) => k).filter((k) => pair.at[k] >= low && pair.at[k] <= high);
    const ends = [least, most, mean - 2 * sd, mean + 2 * sd, ...inside.flatMap((k) => [pair.mean[k] - 2 * pair.scale[k], pair.mean[k] + 2 * pair.scale[k]])];
    const room = 0.5 * (most - least);
    return [Math.max(least - room, Math.min(...ends)), Math.min(most + room, Math.max(...ends))];
  };
  const drawCurve = (pair) => {
    const [cause, effect] = [columns[pair.cause], columns[pair.effect]];
    const picture = shape("svg", { viewBox: `0 0 ${WIDTH} 280`, role: "img",
      "aria-label": `Mean of ${effect.name} where ${cause.name} is set, with bounds and two standard deviations either side, over what was observed. ${pair.sentence}` });
    const across = [pair.at[0], pair.at[pair.at.length - 1]];
    const up = heights(pair);
    const place = axes(picture, TOP, HEIGHT, across, up, [`${cause.name}, set`, effect.name], PLOT);
    const margin = 0.05 * (up[1] - up[0]);
    const inside = (value) => Math.min(up[1] + margin, Math.max(up[0] - margin, value));
    const [left, right] = [56, PLOT - 8];
    for (const [from, to] of [[left, place.x(cause.span[0])], [place.x(cause.span[1]), right]]) {
      if (!pair.levels && to > from) picture.append(shape("rect", { class: "outside", x: from, y: TOP, width: tenth(to - from), height: HEIGHT }));
    }
    const group = dots(place, cause.values, effect.values);
    group.classList.add("faint");
    picture.append(group);
    for (const k of [-2, 0, 2]) {
      picture.append(shape("path", { class: "observed", d: `M${left} ${place.y(inside(effect.mean + k * effect.sd))}H${right}` }));
    }
    const band = (kind, widths, times) => {
      const [low, high] = [-1, 1].map((sign) => pair.mean.map((mean, k) => inside(mean + sign * times * widths[k])));
      const back = line(place, [...pair.at].reverse(), [...low].reverse()).replace("M", "L");
      picture.append(shape("path", { class: kind, d: `${line(place, pair.at, high)}${back}Z` }));
      return [low, high];
    };
    for (const edge of band("band", pair.scale, 2)) picture.append(shape("path", { class: "edge", d: line(place, pair.at, edge) }));
    if (pair.margin) band("bounds", pair.margin, 1);
    picture.append(shape("path", { class: "mean", d: line(place, pair.at, pair.mean.map(inside)) }));
    return { picture, place, inside, effect };
  };
  const drawReach = (drawn, x, mean, scale, kind) => {
    const [high, low] = [mean + 2 * scale, mean - 2 * scale].map((value) => drawn.place.y(drawn.inside(value)));
    return [
      shape("path", { class: `reach-line ${kind}`, d: `M${x - 5} ${high}h10M${x} ${high}V${low}M${x - 5} ${low}h10` }),
      shape("circle", { class: `spot ${kind}`, cx: x, cy: drawn.place.y(drawn.inside(mean)), r: 4.5 }),
    ];
  };
  // Beside the plot, on its heights: the effect as observed, and where the cause is set.
  const drawBeside = (drawn, words) => {
    drawn.picture.append(...drawReach(drawn, 392, drawn.effect.mean, drawn.effect.sd, "before"),
      ...words.map(([x, word]) => shape("text", { class: "beyond", x, y: TOP + HEIGHT + 14, "text-anchor": "middle" }, word)));
  };

  let pair = null, drawn = null, values = [], moving = null, timer = 0;
  const show = (value) => {
    const now = evaluate(pair, value);
    const [cause, effect] = [columns[pair.cause], columns[pair.effect]];
    const mean = short(now.mean) + bounds(now.mean, now.margin, pair.level);
    const scale = short(now.scale) + bounds(now.scale, now.scaleMargin, pair.level, 0);
    find("mean").textContent = mean;
    find("scale").textContent = scale;
    find("before").textContent = `${short(effect.mean)}, ${short(effect.sd)}`;
    find("beyond").hidden = !now.beyond;
    find("beyond").textContent = `beyond the observed values (${cause.span.map(short).join(" to ")})`;
    if (document.activeElement !== field) field.value = Number(value.toPrecision(5));
    const place = values.reduce((best, each, k) => (Math.abs(each - value) < Math.abs(values[best] - value) ? k : best), 0);
    slider.value = place;
    const words = `${short(value)}${now.beyond ? ", beyond the observed values" : ""}: ${effect.name} ${short(now.mean)} on average, standard deviation ${short(now.scale)}`;
    slider.setAttribute("aria-valuetext", words);
    clearTimeout(timer);
    timer = setTimeout(() => { find("said").textContent = `${cause.name} set to ${words}.`; }, 400);
    const x = drawn.place.x(value);
    const sure = now.margin === null ? [] : [drawn.place.y(drawn.inside(now.mean + now.margin)), drawn.place.y(drawn.inside(now.mean - now.margin))];
    moving?.remove();
    moving = shape("g", {}, shape("path", { class: "marker", d: `M${x} ${TOP}v${HEIGHT}` }),
      ...[x, 432].flatMap((each) => [
        ...(sure.length ? [shape("path", { class: "sure", d: `M${each} ${sure[0]}V${sure[1]}` })] : []),
        ...drawReach(drawn, each, now.mean, now.scale, "after")]));
    drawn.picture.append(moving);
  };
  const open = (chosen, value) => {
    pair = pairs[chosen] ?? null;
    const told = Boolean(pair?.at);
    find("told").hidden = !told;
    find("refused").hidden = told;
    if (!told) {
      find("refused").textContent = pair ? pair.reason : "This pair is not in this page, which has those that the fewest edges join: ask with --effect A:B.";
      find("said").textContent = find("refused").textContent;
      return;
    }
    values = stops(pair);
    slider.max = values.length - 1;
    slider.setAttribute("aria-label", `Value that ${columns[pair.cause].name} is set to`);
    [field.min, field.max] = [pair.at[0], pair.at[pair.at.length - 1]];
    find("sentence").textContent = pair.sentence;
    find("notes").replaceChildren(...pair.notes.map((note) => build("li", {}, note)));
    drawn = drawCurve(pair);
    drawBeside(drawn, [[392, "before"], [432, "after"]]);
    moving = null;
    room.replaceChildren(drawn.picture);
    show(value ?? values[Math.floor(values.length / 2)]);
  };

  // Columns with an answer come first; the others show why there is none.
  const fill = (select, chosen, answered) => {
    const option = (k) => build("option", { value: k, selected: k === chosen }, columns[k].name);
    const of = (wanted) => columns.map((_, k) => k).filter((k) => answered(k) === wanted).map(option);
    const groups = [["with an answer", of(true)], ["without, and why", of(false)]].filter(([, options]) => options.length);
    select.replaceChildren(...groups.map(([label, options]) => build("optgroup", { label }, ...options)));
  };
  const number = (cause, effect) => pairs.findIndex((each) => each.cause === cause && each.effect === effect);
  const answers = (cause, effect) => Boolean(pairs[number(cause, effect)]?.at);
  const choose = (cause, effect, value) => {
    fill(causes, cause, (k) => columns.some((_, other) => answers(k, other)));
    fill(effects, effect, (k) => (k === cause ? null : answers(cause, k)));
    open(number(cause, effect), value);
  };
  causes.addEventListener("change", () => {
    const cause = Number(causes.value);
    const others = columns.map((_, k) => k).filter((k) => k !== cause);
    const kept = Number(effects.value);
    choose(cause, answers(cause, kept) ? kept : others.find((k) => answers(cause, k)) ?? (kept === cause ? others[0] : kept));
  });
  effects.addEventListener("change", () => choose(Number(causes.value), Number(effects.value)));
  slider.addEventListener("input", () => show(values[slider.value]));
  field.addEventListener("input", () => { if (field.value !== "" && field.checkValidity()) show(Number(field.value)); });
  field.addEventListener("change", () => {
    if (field.value === "") return show(values[slider.value]);
    const value = Math.min(pair.at[pair.at.length - 1], Math.max(pair.at[0], Number(field.value)));
    field.value = value;
    show(value);
  });
  const drag = (event) => {
    const x = ((event.clientX - room.getBoundingClientRect().left) * WIDTH) / room.clientWidth;
    show(values.reduce((best, each) => (Math.abs(drawn.place.x(each) - x) < Math.abs(drawn.place.x(best) - x) ? each : best)));
  };
  room.addEventListener("pointerdown", (event) => { room.setPointerCapture(event.pointerId); drag(event); });
  room.addEventListener("pointermove", (event) => { if (room.hasPointerCapture(event.pointerId)) drag(event); });
  for (const button of document.querySelectorAll(".choose")) {
    button.addEventListener("click", () => {
      const chosen = pairs[button.dataset.pair];
      choose(chosen.cause, chosen.effect);
      find("live").scrollIntoView({ block: "nearest" });
    });
  }
  for (const k of printed) {
    const shown = drawCurve(pairs[k]);
    drawBeside(shown, [[392, "before"]]);
    const caption = build("figcaption", {}, build("strong", {}, columns[pairs[k].cause].name, " → ", columns[pairs[k].effect].name), build("br"), build("span", {}, pairs[k].sentence));
    find("printed").append(build("figure", { class: "side" }, caption, build("div", { class: "panels drawn" }, shown.picture)));
  }
  find("live").hidden = false;
  choose(pairs[first].cause, pairs[first].effect, begin);
})();
