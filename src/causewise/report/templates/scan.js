// What the parts of a scan's page share: the numbers, and how a pair is written.
const scan = (() => {
  const numbers = JSON.parse(document.getElementById("scan-numbers").textContent);
  const { names, rows } = numbers;
  const status = (k) => numbers.statuses[rows.status[k]];
  // 1 where x comes first: as the answer says, or as the score leans, if its confidence makes that worth a word.
  const usable = (k) => rows.confidence[k] === null || rows.confidence[k] >= numbers.usable;
  const leaning = (k) => rows.way[k] || (status(k) === "undecided" ? Math.sign(rows.score[k] || 0) : 0);
  // Of an arrow that a low threshold let through.
  const doubt = (k) => (rows.way[k] && !usable(k) ? ", little better than a coin" : "");
  const way = (k) => (rows.way[k] || usable(k) ? leaning(k) : 0);
  // Of a method with a confidence, what a warning stops has none.
  const stopped = (k) => status(k) === "undecided" && rows.score[k] === null;
  const ends = (k) => (way(k) < 0 ? [names[rows.y[k]], names[rows.x[k]]] : [names[rows.x[k]], names[rows.y[k]]]);
  const between = (k) => (rows.way[k] ? " → " : way(k) ? " ⇢ " : " · ");
  const title = (k) => {
    const [first, second] = ends(k);
    return [build("bdi", {}, first), between(k), build("bdi", {}, second)];
  };
  // Rounded down, so that 79.8 % does not look like 80 %.
  const percent = (share) => `${Math.floor(100 * share + 1e-9)} %`;
  const superscript = (power) => [...String(power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻").join("");
  const number = (value, digits = 3) => {
    if (value === null) return "–";
    const size = Math.abs(value);
    if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(Number(value.toPrecision(digits))).replace("-", "−");
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    return `${String(Number(mantissa)).replace("-", "−")}×10${superscript(Number(power))}`;
  };
  const pValue = (p) => (p === 0 ? `< 10${superscript(-300)}` : number(p, 2));
  const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  // The three outcomes, the direction that is shown first.
  const outcomes = (k) => {
    const shown = rows.confidence[k], neither = rows.neither[k];
    if (shown === null || neither === null || status(k) === "unrelated" || status(k) === "given") return null;
    const [x, y] = [names[rows.x[k]], names[rows.y[k]]];
    const [cause, effect] = leaning(k) < 0 ? [y, x] : [x, y];
    const [lead, other, none] = rows.percents[k];
    const shares = [["leading", `${cause} → ${effect}`, shown, lead], ["other", `${effect} → ${cause}`, Math.max(0, 1 - shown - neither), other], ["neither", "neither", neither, none]];
    const parts = shares.map(([kind, name, value, whole]) => ({ kind, name, value, text: `${whole} %` }));
    return { parts, threshold: numbers.threshold, needed: numbers.needed };
  };
  const sure = (k) => {
    if (stopped(k)) return "not scored";
    if (rows.confidence[k] === null || status(k) === "unrelated") return "";
    if (status(k) === "given") return `by the data alone ${percent(rows.confidence[k])}`;
    return rows.way[k] || usable(k) ? `confidence ${percent(rows.confidence[k])}${doubt(k)}` : "no usable lean";
  };
  const describe = (k) => {
    const words = { oriented: "", given: rows.way[k] ? ": given" : ": given as unrelated", undecided: ": undecided", unrelated: ": unrelated", failed: ": could not be scored" };
    return `${ends(k).join(between(k) === " · " ? " and " : between(k))}${words[status(k)]}${sure(k) && `, ${sure(k)}`}`;
  };
  const named = Math.max(...rows.confidence.map((c) => (c === null ? 0 : 1)), 0) > 0;
  return { numbers, names, rows, status, way, usable, doubt, stopped, outcomes, sure, title, percent, number, pValue, count, describe, confident: named };
})();
