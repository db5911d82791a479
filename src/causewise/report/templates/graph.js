// Every edge's evidence is drawn when it is first opened; a click on an edge of the picture opens it in the list.
(() => {
  const numbers = JSON.parse(document.getElementById("edge-numbers").textContent);
  const edges = [...document.querySelectorAll("details.edge")];
  edges.forEach((edge, k) => {
    edge.addEventListener("toggle", () => {
      const room = edge.querySelector(".edge-drawn");
      if (edge.open && numbers[k] && !room.childElementCount) drawPair(room, numbers[k]);
    });
  });
  const open = (name) => {
    const edge = edges.find((each) => each.id === name);
    if (!edge) return;
    edge.open = true;
    edge.scrollIntoView({ block: "center" });
    edge.querySelector("summary").focus({ preventScroll: true });
  };
  for (const link of document.querySelectorAll(".causal .link")) {
    link.addEventListener("click", () => open(link.dataset.edge));
  }
  open(location.hash.slice(1));
  const all = document.getElementById("open-all");
  if (!all) return;
  all.hidden = false;
  all.addEventListener("click", () => {
    const closed = edges.some((edge) => !edge.open);
    for (const edge of edges) edge.open = closed;
    all.textContent = closed ? "Close all" : "Open all";
  });
})();
