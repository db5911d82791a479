"use strict";
// The teaching view: controls from the server's own list, and a new draw a moment after one of them moved. What was
// drawn stays until the new answer is there.
(() => {
  const PAUSE = 60;
  const at = (id) => document.getElementById(id);
  const form = at("controls");
  let settings = Object.fromEntries(new URLSearchParams(location.search)), presets = [], waiting = 0, asking = false, moved = false;

  const fields = () => [...form.elements].filter((field) => field.name);
  const number = (value) => String(Number(value)).replace("-", "−");
  const choice = (name, control) => build("div", { class: "control" }, build("label", { for: `control-${name}` }, control.label),
    build("select", { id: `control-${name}`, name }, ...control.words.map((word) => build("option", { value: word }, word))));
  const slider = (name, control) => build("div", { class: "control" },
    build("div", { class: "head" }, build("label", { for: `control-${name}` }, control.label), build("output", { id: `said-${name}`, for: `control-${name}` })),
    build("input", { type: "range", id: `control-${name}`, name, min: control.low, max: control.high, step: control.step, "aria-describedby": control.help ? `help-${name}` : null }),
    ...(control.help ? [build("small", { id: `help-${name}` }, control.help)] : []));

  const furnish = (lesson) => {
    form.replaceChildren(...Object.entries(lesson.controls).map(([name, control]) => (control.words ? choice : slider)(name, control)));
    presets = lesson.presets.map((preset) => {
      const button = build("button", { type: "button", class: "card" }, build("strong", {}, preset.name), build("span", {}, preset.told));
      button.addEventListener("click", () => { settings = { ...preset.settings }; write(); ask(); });
      return { ...preset, button };
    });
    at("presets").replaceChildren(...presets.map(({ button }) => button));
    settings = { ...lesson.settings };
    write();
  };
  // The controls say what is drawn, and the preset that is drawn is marked.
  const write = () => {
    for (const field of fields()) field.value = settings[field.name];
    said();
  };
  const said = () => {
    for (const field of fields()) if (field.type === "range") at(`said-${field.name}`).textContent = number(field.value);
    for (const { button, settings: of } of presets) {
      button.setAttribute("aria-pressed", String(Object.keys(of).every((name) => String(of[name]) === String(settings[name]))));
    }
  };
  const show = (lesson) => {
    const { pair, words } = lesson;
    at("trouble").hidden = true;
    at("verdict").className = `answer ${pair.stance}`;
    at("verdict-said").textContent = pair.verdict.replace(/^u/, "U");
    at("verdict-badge").textContent = pair.badge;
    at("verdict-badge").hidden = false;
    drawPair(at("drawn"), pair);
    at("words").replaceChildren(...words.map(({ title, text }) => build("div", {}, build("dt", {}, title), build("dd", {}, text))));
  };
  // One question at a time; what moved meanwhile is asked when its answer has come.
  const ask = async () => {
    if (asking) { moved = true; return; }
    asking = true;
    document.body.classList.add("busy");
    try {
      const query = new URLSearchParams(settings).toString();
      const answer = await fetch(`/api/lesson${query ? `?${query}` : ""}`, { headers: { accept: "application/json" } });
      const lesson = await answer.json();
      if (!answer.ok) throw new Error(lesson.detail);
      if (!fields().length) furnish(lesson);
      show(lesson);
      history.replaceState(null, "", `?${new URLSearchParams(lesson.settings)}`);
    } catch (problem) {
      at("trouble").textContent = problem instanceof TypeError ? "The server does not answer: is it still running?" : problem.message;
      at("trouble").hidden = false;
      // A link with settings that are none: the defaults instead.
      moved = moved || (!fields().length && Object.keys(settings).length > 0);
      if (!fields().length) settings = {};
    } finally {
      asking = false;
      document.body.classList.remove("busy");
    }
    if (moved) { moved = false; ask(); }
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    settings = { ...settings, [event.target.name]: event.target.value };
    said();
    waiting = waiting || setTimeout(() => { waiting = 0; ask(); }, PAUSE);
  });
  ask();
})();
