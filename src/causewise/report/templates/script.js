"use strict";
(() => {
  const copied = document.getElementById("copied");
  const copy = async (text) => {
    try {
      return await navigator.clipboard.writeText(text);
    } catch {
      copyByHand(text);  // older browsers, and pages without the permission
    }
  };
  const copyByHand = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("copying was refused");
  };
  for (const button of document.querySelectorAll("button[data-copies]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copies);
      const label = button.textContent;
      try {
        await copy(source.textContent.trim());
        button.textContent = "Copied";
        copied.textContent = "Copied to the clipboard.";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Press Ctrl+C";
        copied.textContent = "The text is selected: press Ctrl+C.";
      }
      setTimeout(() => { button.textContent = label; }, 1800);
    });
  }
})();
