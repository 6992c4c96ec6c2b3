// Walking through a match with the keys Home, left, right and End.
"use strict";
document.getElementById("keys").hidden = false;
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, textarea, select, .log, pre")) return;
  const link = document.querySelector(`a[data-key="${event.key}"]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});
const current = document.querySelector(".log [aria-current]");
if (current) {
  const list = current.closest(".log");
  list.scrollTop = current.closest("li").offsetTop - list.offsetTop - list.clientHeight / 2;
}
