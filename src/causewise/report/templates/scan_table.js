// The table of pairs: sorted and filtered as numbers, one page of it at a time in the document.
(() => {
  const { numbers, names, rows } = scan;
  const ROWS = matchMedia("(max-width: 760px)").matches ? 20 : 50;
  const at = (id) => document.getElementById(id);
  const every = rows.x.map((_, k) => k);
  const letters = names.map((name) => name.toLocaleLowerCase());
  const alphabet = new Intl.Collator(undefined, { numeric: true });
  const byName = names.map((_, k) => k).sort((a, b) => alphabet.compare(names[a], names[b]));
  const nameRank = [];
  byName.forEach((name, k) => { nameRank[name] = k; });
  const firstOf = (k) => (scan.way(k) < 0 ? rows.y[k] : rows.x[k]);
  const secondOf = (k) => (scan.way(k) < 0 ? rows.x[k] : rows.y[k]);
  const size = (value) => (value === null ? null : Math.abs(value));
  // What is given is not found: its numbers, the data's, neither sort nor choose it.
  const related = (k, value) => (["unrelated", "given"].includes(scan.status(k)) ? null : value);

  const confidence = (k) => {
    const sure = related(k, rows.confidence[k]), outcomes = scan.outcomes(k);
    if (scan.status(k) === "given") return [rows.confidence[k] === null ? "–" : `data alone ${scan.percent(rows.confidence[k])}`];
    if (sure === null) return ["–"];
    const words = rows.way[k] || scan.usable(k) ? scan.percent(sure) + scan.doubt(k) : "no lean";
    return [build("span", { class: "sure" }, words), ...(outcomes ? [build("span", { class: "outcomes" }, outcomeBar(outcomes, { "aria-hidden": "true" }))] : [])];
  };
  // Name, value to sort by (null comes last), which way first, and what stands in the cell.
  const columns = [
    { name: "Pair", key: (k) => nameRank[firstOf(k)] * names.length + nameRank[secondOf(k)], up: true, cell: null },
    { name: "Status", key: (k) => rows.status[k], up: true, cell: (k) => [scan.status(k)] },
    { name: "Confidence", key: (k) => related(k, rows.confidence[k]), up: false, cell: confidence, only: scan.confident },
    { name: "|Score|", key: (k) => size(related(k, rows.score[k])), up: false, cell: (k) => [scan.number(size(related(k, rows.score[k])))] },
    { name: "Related? p", key: (k) => rows.p[k], up: true, cell: (k) => [rows.p[k] === null ? "–" : scan.pValue(rows.p[k])] },
    { name: "Rows", key: (k) => rows.n[k], up: false, cell: (k) => [scan.count(rows.n[k])] },
    { name: "Warnings", key: (k) => rows.warnings[k].length, up: false, cell: (k) => [rows.warnings[k].length ? String(rows.warnings[k].length) : "–"] },
  ].filter((column) => column.only !== false);
  let sorted = every, shown = every, page = 0, by = null, ascending = true;

  const arrange = () => {
    if (!by) return;
    const keys = every.map(by.key), sign = ascending ? 1 : -1;
    // Equal ones stay surest first, as they came.
    sorted = [...every].sort((a, b) => (keys[a] === null) - (keys[b] === null) || sign * (keys[a] - keys[b]) || a - b);
  };
  const choose = () => {
    const wanted = at("filter-name").value.trim().toLocaleLowerCase();
    const slider = at("filter-confidence"), least = slider.value === slider.min ? 0 : Number(slider.value) / 100;
    const warned = at("filter-warned").checked;
    const statuses = new Set([...document.querySelectorAll("#filter-status input:checked")].map((box) => Number(box.value)));
    const named = letters.map((name) => name.includes(wanted));
    at("filter-confidence-said").textContent = least ? scan.percent(least) : "any";
    shown = sorted.filter((k) => statuses.has(rows.status[k])
      && (!wanted || named[rows.x[k]] || named[rows.y[k]])
      && (!least || (related(k, rows.confidence[k]) || 0) >= least)
      && (!warned || rows.warnings[k].length > 0));
    page = 0;
    draw();
  };
  const row = (k) => {
    const open = build("button", { type: "button", class: "open", title: "Open this pair" }, ...scan.title(k));
    open.addEventListener("click", () => openPair(k, shown));
    const cells = columns.slice(1).map((column) => build("td", { "data-label": column.name }, ...column.cell(k)));
    return build("tr", { class: scan.status(k) }, build("th", { scope: "row" }, open), ...cells);
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(shown.length / ROWS));
    page = Math.min(Math.max(page, 0), pages - 1);
    const first = page * ROWS;
    document.querySelector("#pairs-table tbody").replaceChildren(...shown.slice(first, first + ROWS).map(row));
    at("pairs-said").textContent = shown.length === every.length ? `${scan.count(every.length)} pairs` : `${scan.count(shown.length)} of ${scan.count(every.length)} pairs`;
    at("page-said").textContent = shown.length ? `${scan.count(first + 1)}–${scan.count(Math.min(first + ROWS, shown.length))}` : "none";
    for (const [id, ends] of [["page-first", page === 0], ["page-before", page === 0], ["page-after", page === pages - 1], ["page-last", page === pages - 1]]) at(id).disabled = ends;
    document.querySelector(".pager").hidden = pages === 1;
  };
  const heads = columns.map((column) => {
    const button = build("button", { type: "button" }, column.name, build("span", { class: "sort", "aria-hidden": "true" }));
    const head = build("th", { scope: "col" }, button);
    button.addEventListener("click", () => {
      ascending = by === column ? !ascending : column.up;
      by = column;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      arrange();
      choose();
    });
    return head;
  });
  document.querySelector("#pairs-table thead tr").append(...heads);
  numbers.statuses.forEach((status, k) => {
    const many = rows.status.filter((each) => each === k).length;
    if (!many) return;
    const box = build("input", { type: "checkbox", value: k, checked: "" });
    at("filter-status").append(build("label", {}, box, ` ${status} (${scan.count(many)})`));
  });
  at("filter-confidence-room").hidden = !scan.confident;
  at("filters").addEventListener("input", choose);
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(choose));
  const turn = (to) => () => { page = to(); draw(); };
  at("page-first").addEventListener("click", turn(() => 0));
  at("page-before").addEventListener("click", turn(() => page - 1));
  at("page-after").addEventListener("click", turn(() => page + 1));
  at("page-last").addEventListener("click", turn(() => Infinity));
  for (const node of document.querySelectorAll(".node")) {
    node.addEventListener("click", () => {
      at("filter-name").value = node.dataset.column;
      choose();
      at("pairs").scrollIntoView();
    });
  }
  choose();
})();
