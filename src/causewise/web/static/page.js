// The page: a table in, a question, an answer in place. One thing at a time.
import { Trouble, get, post, stop, watchJob } from "./server.js";
import { make, showTable } from "./preview.js";

const $ = (id) => document.getElementById(id);
const state = { table: $("seen").dataset.table, judged: [], job: null, again: null };
const ACTIONS = ["judge", "scan", "graph"];
// What the steps of a job count.
const UNITS = { ordering: "columns", drawing: "halves of the rows" };
const still = matchMedia("(prefers-reduced-motion: reduce)");

function goTo(element) {
  element.scrollIntoView({ behavior: still.matches ? "auto" : "smooth", block: "start" });
  element.querySelector("h2[tabindex]")?.focus({ preventScroll: true });
}

function complain(trouble) {
  $("trouble").textContent = trouble?.message ?? "";
  $("trouble").hidden = !trouble;
  offer(trouble?.choices ?? []);
  if (trouble) $("trouble").scrollIntoView({ block: "center" });
}

// Ways to read an unclear table: a button each.
function offer(choices) {
  $("choices").hidden = !choices.length;
  $("choices").replaceChildren(...choices.map((choice) => {
    const button = make("button", words(choice), { type: "button" });
    button.addEventListener("click", () => give(state.again, choice));
    return button;
  }));
}

function words(choice) {
  if ("decimal" in choice) return choice.decimal === "." ? "The point is the decimal mark" : "The comma is the decimal mark";
  if ("sheet" in choice) return `Read the sheet “${choice.sheet}”`;
  return choice.header ? "The first line holds names" : "The first line is a row";
}

async function attempt(work) {
  complain(null);
  document.body.classList.add("busy");
  try {
    await work();
  } catch (trouble) {
    if (!(trouble instanceof Trouble)) throw trouble;
    complain(trouble);
  } finally {
    document.body.classList.remove("busy");
  }
}

// A table: a file, pasted lines or an example.
const give = (what, choice = {}) => attempt(async () => {
  state.again = what;
  let question = { ...what, ...choice };
  if (what.file) {
    question = new FormData();
    for (const [name, value] of Object.entries(choice)) question.append(name, value);
    question.append("file", what.file);
  }
  see(await post("/api/tables", question));
  goTo($("seen"));
});

function see(seen) {
  state.table = seen.table;
  state.judged = showTable(seen);
  offer(state.again ? seen.choices : []);
  const two = state.judged.length > 1;
  const pairs = state.judged.length * (state.judged.length - 1) / 2;
  $("seen-head").textContent = `What was understood: ${seen.name}`;
  for (const id of ACTIONS) $(id).disabled = !two;
  $("pairs").textContent = two ? `${pairs.toLocaleString("en")} pair${pairs > 1 ? "s" : ""} in all` : "Two columns that can be judged are needed.";
  $("seen").hidden = false;
}

// A question: a job that is watched, and its answer in place.
const ask = (path, question, what) => attempt(async () => {
  if (state.job) return;
  $("working").hidden = false;
  for (const id of ACTIONS) $(id).disabled = true;
  try {
    let job = await post(path, question);
    state.job = job.id;
    goTo($("working"));
    job = await watchJob(job, (now) => follow(now, what));
    show(job);
  } finally {
    state.job = null;
    $("working").hidden = true;
    for (const id of ACTIONS) $(id).disabled = false;
  }
});

function follow(job, what) {
  const far = job.of ? job.done / job.of : null;
  if (far === null) $("bar").removeAttribute("value");
  else $("bar").value = far;
  const left = job.seconds_left === null ? "" : `; about ${duration(job.seconds_left)} left`;
  const said = job.state === "waiting" ? `Waiting; ${job.ahead} before it.`
    : far === null ? `${what} …` : `${what}: ${job.step}, ${job.done.toLocaleString("en")} of ${job.of.toLocaleString("en")} ${UNITS[job.step] ?? "pairs"}${left}.`;
  if ($("status").textContent !== said) $("status").textContent = said;
}

const duration = (seconds) => seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;

function show(job) {
  $("verdict").textContent = job.title;
  $("said").textContent = `Answer: ${job.title}`;
  $("link").href = job.answer;
  $("download").href = `${job.answer}/file`;
  $("report").dataset.src = `${job.answer}/report`;
  open();
  const item = make("li");
  item.append(make("a", job.title, { href: job.answer }));
  $("answers").prepend(item);
  $("earlier").hidden = $("answers").children.length < 2;
  history.pushState({}, "", job.answer);
  goTo($("answer"));
}

// The report is a page of its own in a frame that is as high as it is.
function open() {
  const frame = $("report");
  $("answer").hidden = false;
  frame.src = frame.dataset.src;
  frame.addEventListener("load", () => {
    const inner = frame.contentDocument?.documentElement;
    if (!inner) return;
    const fit = () => { frame.style.height = `${inner.offsetHeight + 8}px`; };
    new ResizeObserver(fit).observe(inner);
    fit();
  }, { once: true });
}

$("file").addEventListener("change", () => {
  const [file] = $("file").files;
  if (file) give({ file });
  $("file").value = "";
});
for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.add("over"); });
}
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) give({ file });
});
$("pasting").addEventListener("submit", (event) => { event.preventDefault(); give({ text: $("text").value }); });
for (const button of document.querySelectorAll("[data-example]")) {
  button.addEventListener("click", () => give({ example: button.dataset.example }));
}
$("swap").addEventListener("click", () => { [$("x").value, $("y").value] = [$("y").value, $("x").value]; });
// What is said about the three outcomes, which the default method has; what nobody says is the method's own.
function methodOptions() {
  const method = $("method").value, said = { method };
  if ($("outcomes").disabled) return said;
  if ($("direct").checked) said.direct = true;
  else if ($("neither").value !== "") said.neither = Number($("neither").value) / 100;
  if (!$("recording").checked) said.recording = false;
  return said;
}
function offerOutcomes() {
  $("outcomes").disabled = $("method").value !== $("outcomes").dataset.method;
  $("neither").disabled = $("direct").checked;
}
for (const id of ["method", "direct"]) $(id).addEventListener("change", offerOutcomes);
offerOutcomes();
$("asking").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = { table: state.table, x: $("x").value, y: $("y").value, nan_policy: $("missing").value, ...methodOptions() };
  ask("/api/answers", question, `Judging ${question.x} and ${question.y}`);
});
// Background knowledge: names with a comma between, an edge or a tier a line, or a file.
const names = (text) => text.split(",").map((name) => name.trim()).filter(Boolean);
const lines = (id) => $(id).value.split("\n").map((line) => line.trim()).filter(Boolean);
function edges(id) {
  return lines(id).map((line) => {
    const ends = line.split(/\s*(?:->|→)\s*/);
    if (ends.length !== 2 || !ends[0] || !ends[1]) throw new Trouble(`Got “${line}” as a cause; expected lines such as dose -> response.`);
    return ends;
  });
}
async function knowledge() {
  const [file] = $("known-file").files;
  const said = {
    knowledge: file ? await file.text() : "",
    first: names($("first").value), last: names($("last").value),
    tiers: lines("tiers").map(names), required: edges("required"), forbidden: edges("forbidden"),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value.length));
}
$("scan").addEventListener("click", () => attempt(async () => {
  const question = { table: state.table, ...methodOptions(), ...await knowledge() };
  await ask("/api/scan", question, "Judging the whole table");
}));
$("graph").addEventListener("click", () => attempt(async () => {
  const question = { table: state.table, ...await knowledge() };
  await ask("/api/graph", question, "Finding the graph");
}));
$("cancel").addEventListener("click", () => { if (state.job) stop(state.job); });
addEventListener("popstate", () => location.reload());

if ($("report").dataset.src) open();
if (state.table) get(`/api/tables/${state.table}`).then(see, () => {});
