// What the parts of a scan's page share: the numbers, and how a pair is written.
const scan = (() => {
  const numbers = JSON.parse(document.getElementById("scan-numbers").textContent);
  const { names, rows } = numbers;
  const status = (k) => numbers.statuses[rows.status[k]];
  // 1 where x comes first: as the answer says, or as the score leans.
  const way = (k) => rows.way[k] || (status(k) === "undecided" ? Math.sign(rows.score[k] || 0) : 0);
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
  const told = (k) => {
    const sure = rows.confidence[k] === null || status(k) === "unrelated" ? "" : `, confidence ${percent(rows.confidence[k])}`;
    const words = { oriented: "", undecided: ": undecided", unrelated: ": unrelated", failed: ": could not be judged" };
    return `${ends(k).join(between(k) === " · " ? " and " : between(k))}${words[status(k)]}${sure}`;
  };
  const named = Math.max(...rows.confidence.map((c) => (c === null ? 0 : 1)), 0) > 0;
  return { numbers, names, rows, status, way, title, percent, number, pValue, count, told, confident: named };
})();
