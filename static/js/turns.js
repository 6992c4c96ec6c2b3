// Says in the navigation, the title and the tab's icon how many matches wait for the reader; n and p walk between them.
"use strict";
{
  const link = () => document.querySelector("#turns a");
  const label = () => `${link().dataset.label} (`;
  const codes = () => link().dataset.codes.split(" ").filter(Boolean);
  const pathOf = (code) => link().dataset.match.replace("CODE", code);
  const others = (step) => {
    const all = step > 0 ? codes() : codes().reverse();
    const place = all.findIndex((code) => pathOf(code) === location.pathname);
    return [...all.slice(place + 1), ...all.slice(0, Math.max(place, 0))];
  };
  const show = () => {
    if (!link()) return;
    const number = codes().length;
    link().hidden = number === 0;
    link().querySelector("span").textContent = number;
    link().setAttribute("href", number ? pathOf(others(1)[0] ?? codes()[0]) : "");
    const bare = document.title.startsWith(label()) ? document.title.slice(document.title.indexOf(" · ") + 3) : document.title;
    document.title = number ? `${label()}${number}) · ${bare}` : bare;
    const icon = document.querySelector("link[rel=icon]");
    const wanted = number ? icon.dataset.turn : icon.dataset.plain;
    if (icon.getAttribute("href") !== wanted) icon.setAttribute("href", wanted);
  };
  show();
  news.subscribe("turns", (waiting) => {
    if (!link() || !waiting) return;
    link().dataset.codes = waiting.join(" ");
    show();
  });
  document.addEventListener("htmx:afterRequest", () => setTimeout(show));
  document.addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1 }[event.key];
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]");
    if (!step || !link() || isTyping || event.altKey || event.ctrlKey || event.metaKey) return;
    const [code] = others(step);
    if (code) location.assign(pathOf(code));
  });
  // The menu of phones shuts at a touch beside it, and at Escape.
  const shut = (event) => {
    const menu = document.querySelector(".menu[open]");
    if (!menu || (event.key ? event.key !== "Escape" : menu.contains(event.target))) return;
    menu.open = false;
    if (event.key) menu.firstChild.focus();
  };
  document.addEventListener("pointerdown", shut);
  document.addEventListener("keydown", shut);
}
