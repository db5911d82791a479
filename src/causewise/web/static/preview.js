// A table as it was understood. Everything is put into the page as text: no name can be markup.
const SVG = "http://www.w3.org/2000/svg";

export function make(tag, text = "", attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const number = (value) => {
  if (value === null) return "missing";
  const size = Math.abs(value);
  const text = size !== 0 && (size >= 1e7 || size < 1e-4) ? value.toExponential(2) : plain.format(value);
  return text.replaceAll(",", "\u202f").replaceAll("-", "\u2212");
};

function histogram(bars) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${bars.length * 4} 26`);
  svg.setAttribute("aria-hidden", "true");
  bars.forEach((height, k) => {
    const bar = document.createElementNS(SVG, "rect");
    const tall = height > 0 ? Math.max(1, 25 * height) : 0;
    for (const [name, value] of Object.entries({ x: 4 * k, y: 26 - tall, width: 3, height: tall })) bar.setAttribute(name, value);
    svg.append(bar);
  });
  return svg;
}

function line(column) {
  const row = make("tr", "", column.judged ? {} : { class: "no" });
  const picture = make("td");
  if (column.bars.length) picture.append(histogram(column.bars));
  const range = column.least === null ? "" : `${number(column.least)} … ${number(column.largest)}`;
  const first = column.first.length ? `${column.first.slice(0, 3).map(number).join("; ")} …` : "";
  row.append(
    make("th", column.name, { scope: "row" }),
    picture,
    make("td", range),
    make("td", column.missing ? number(column.missing) : column.least === null ? "" : "none"),
    make("td", first, { class: "first" }),
    column.judged ? make("td", `yes: ${column.kind}`, { class: "yes" }) : make("td", `no: ${column.why}`, { class: "why not" }),
  );
  return row;
}

export function showTable(seen) {
  document.getElementById("understood").replaceChildren(...seen.understood.map((said) => make("li", said)));
  document.getElementById("columns").replaceChildren(...seen.columns.map(line));
  const judged = seen.columns.filter((column) => column.judged).map((column) => column.name);
  ["x", "y"].forEach((id, k) => {
    const select = document.getElementById(id);
    select.replaceChildren(...judged.map((name) => make("option", name, { value: name })));
    select.selectedIndex = Math.min(k, judged.length - 1);
  });
  return judged;
}
