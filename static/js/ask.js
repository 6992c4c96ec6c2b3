// Loads pieces.js, which answers "What is this?", when it is first asked.
"use strict";
document.addEventListener("click", (event) => {
  const link = event.target.closest("#what-is-this");
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (document.getElementById("asking")) return;
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: link.dataset.style });
  const script = Object.assign(document.createElement("script"), { id: "asking", src: link.dataset.script });
  script.addEventListener("error", () => location.assign(link.href)); // the page with the list
  document.head.append(style, script);
});
