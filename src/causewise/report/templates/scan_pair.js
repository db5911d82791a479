// One pair, in a dialog: its report where the page has one, else its rows and its numbers.
const openPair = (() => {
  const { numbers, names, rows } = scan;
  const dialog = document.getElementById("pair");
  const body = document.getElementById("pair-body");
  const at = (id) => document.getElementById(id);
  let list = [], place = 0, reports = null, values = null;

  const report = (k) => {
    reports = reports || JSON.parse(document.getElementById("scan-reports").textContent);
    return k < reports.length ? reports[k] : null;
  };
  // Two bytes a value, the lesser first; the largest number stands for a missing value.
  const column = (c) => {
    const { rows: n, low, high } = numbers.columns;
    values = values || Uint8Array.from(atob(numbers.columns.values), (letter) => letter.charCodeAt(0));
    return Array.from({ length: n }, (_, k) => {
      const place = 2 * (c * n + k);
      const step = values[place] + 256 * values[place + 1];
      return step === 65535 ? NaN : low[c] + ((high[c] - low[c]) * step) / 65534;
    });
  };
  const cloud = (k) => {
    const room = build("div");
    if (!numbers.columns) return room;
    const x = column(rows.x[k]), y = column(rows.y[k]);
    const both = x.map((_, r) => r).filter((r) => !Number.isNaN(x[r] + y[r]));
    if (both.length < 2) return build("p", { class: "note" }, "Of the rows kept for pictures, none has both values.");
    drawCloud(room, both.map((r) => x[r]), both.map((r) => y[r]), [names[rows.x[k]], names[rows.y[k]]]);
    if (both.length < rows.n[k]) room.append(build("p", { class: "note" }, `${scan.count(both.length)} of ${scan.count(rows.n[k])} rows drawn.`));
    return room;
  };
  const signed = (value) => (value > 0 ? "+" : "") + scan.number(value);
  const hundredths = (value) => (value > 0 ? "+" : "") + value.toFixed(2).replace("-", "−");
  const sum = (k) => {
    const printed = rows.sum[k];
    if (!printed) return null;
    const kinds = numbers.kinds.length;
    const { reach } = numbers;
    const terms = numbers.kinds.map((name, t) => ({ name, text: printed[t], value: Number(printed[t].replace("−", "-")) }));
    const [total, weight, weighed] = printed.slice(kinds);
    if (!rows.given[k]) return { terms, total, weight, score: weighed, reach };
    // The score as it is printed elsewhere, so that what was given takes up what rounding leaves.
    const score = Number(rows.score[k].toFixed(2)), given = score - Number(weighed.replace("−", "-"));
    return { terms, total, weight, weighed, given: { value: given, text: hundredths(given) }, score: hundredths(score), reach };
  };
  const facts = (k, found) => {
    const [x, y] = [names[rows.x[k]], names[rows.y[k]]];
    const unrelated = scan.status(k) === "unrelated", silent = found || scan.stopped(k);
    const listed = [
      ["Score", unrelated || rows.score[k] === null ? null : signed(rows.score[k])],
      ["Related at all? p, adjusted", rows.p[k] === null ? null : scan.pValue(rows.p[k])],
      ...[rows.x[k], rows.y[k]].map((c) => [`Column type of ${names[c]}`, numbers.recorded[c] === "continuous" ? null : numbers.recorded[c] || null]),
      ["Complete rows", scan.count(rows.n[k])],
      ["Left out for a missing value", rows.missing[k] ? scan.count(rows.missing[k]) : null],
      [`Does ${x} → ${y} fit? p`, silent || rows.forward[k] === null ? null : scan.pValue(rows.forward[k])],
      [`Does ${y} → ${x} fit? p`, silent || rows.backward[k] === null ? null : scan.pValue(rows.backward[k])],
      ["Halves of the rows that agree", rows.halves[k] === null ? null : scan.percent(rows.halves[k])],
    ];
    const shown = listed.filter(([, value]) => value !== null);
    return build("dl", { class: "key" }, ...shown.map(([name, value]) => build("div", {}, build("dt", {}, name), build("dd", {}, value))));
  };
  const warnings = (k, found) => {
    const levelled = found ? found.warnings : [];
    const listed = rows.warnings[k].filter((w) => w >= 0).map((w) => numbers.sentences[w]);
    const lost = rows.warnings[k].length - listed.length;
    const items = listed.map((text) => {
      const level = (levelled.find((each) => each.text === text) || {}).level;
      return build("li", { "data-level": level }, ...(level ? [build("span", { class: "level" }, level), " "] : []), text);
    });
    if (lost) items.push(build("li", {}, `${lost} more, in the file that --out writes.`));
    return items.length ? [build("h3", {}, "Warnings"), build("ul", { class: "warnings" }, ...items)] : [];
  };
  const sentences = (k, found) => {
    const message = rows.message[k] >= 0 ? numbers.sentences[rows.message[k]] : "";
    const words = [message || (found ? found.sentence : "")];
    if (!message && found && found.explanation !== words[0]) words.push(found.explanation);
    return words.filter(Boolean).map((text) => build("p", { class: "lead" }, text));
  };
  // Background knowledge outweighs the data: the row says which direction was given.
  const given = (found, k) => ({
    ...found,
    sides: found.sides.map((side, s) => ({ ...side, contested: rows.way[k] !== 0, chosen: rows.way[k] === (s ? -1 : 1), mark: scan.status(k) === "given" ? "given" : undefined })),
    sum: sum(k),
    outcomes: scan.status(k) === "given" ? found.outcomes : scan.outcomes(k),
  });
  const show = () => {
    const k = list[place], found = report(k), parts = [];
    const status = scan.status(k), words = [status === "oriented" && scan.sure(k) ? "" : status, scan.sure(k)];
    at("pair-title").replaceChildren(...scan.title(k));
    const tone = { oriented: "weighed", failed: "failed" }[scan.status(k)] || "tie";
    dialog.className = `answer ${tone}`;
    parts.push(build("p", { class: "badge" }, words.filter(Boolean).join(", ")), ...sentences(k, found), facts(k, found));
    const drawn = build("div", { class: "pair-drawn" });
    if (found) {
      drawPair(drawn, given(found, k));
      parts.push(drawn, build("p", { class: "note" }, found.sides[0].residual
        ? "Above: the rows, the fitted mean and two fitted standard deviations either side, where there are rows to bear them. Below: what the fit leaves over, divided by its fitted size; in the true direction a level cloud of even width."
        : "The rows, seen both ways."));
    } else {
      const outcomes = scan.outcomes(k);
      if (outcomes) {
        parts.push(build("div", { class: "outcomes" }));
        drawOutcomes(parts.at(-1), outcomes);
      }
      parts.push(cloud(k));
      if (sum(k)) {
        drawTerms(drawn, sum(k), names[rows.x[k]], names[rows.y[k]]);
        parts.push(build("h3", {}, "How the score adds up"), drawn);
      }
    }
    body.replaceChildren(...parts, ...warnings(k, found));
    at("pair-before").disabled = place === 0;
    at("pair-after").disabled = place === list.length - 1;
    dialog.scrollTop = 0;
  };
  const step = (by) => {
    const next = place + by;
    if (next < 0 || next >= list.length) return;
    place = next;
    show();
  };
  at("pair-close").addEventListener("click", () => dialog.close());
  at("pair-before").addEventListener("click", () => step(-1));
  at("pair-after").addEventListener("click", () => step(1));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight") step(1);
  });
  // Inside a frame that is as high as this page, the middle of the window is far away: stand where the reader looks.
  const standInSight = () => {
    const frame = window.frameElement;
    if (!frame) return;
    const above = Math.max(0, -frame.getBoundingClientRect().top);
    dialog.style.margin = `${above + 16}px auto auto`;
    dialog.style.maxHeight = `${window.parent.innerHeight - 32}px`;
  };
  // Opens pair k; `among` is the list that Previous and Next walk through.
  return (k, among = [k]) => {
    list = among;
    place = Math.max(among.indexOf(k), 0);
    show();
    standInSight();
    dialog.showModal();
    at("pair-close").focus();
  };
})();
