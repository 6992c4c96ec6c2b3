// Walks through a match by links and by the keys Home, left, right and End, without a new page for each step.
// Every key counts at once; the board follows as fast as the pages come, and those beside it are fetched ahead.
"use strict";
{
  const MOST_KEPT = 60;
  const walk = () => document.querySelector(".plies[data-at]");
  const at = () => Number(walk().dataset.at);
  const pathTo = (ply) => walk().dataset.first.replace(/0\/$/, `${ply}/`) + location.search;
  const pages = new Map(); // by ply: the promise of the page's text, null if there was none
  let wanted = at();
  let isShowing = false;

  const read = (ply) => {
    if (!pages.has(ply)) {
      pages.set(ply, fetch(pathTo(ply)).then((answer) => (answer.ok ? answer.text() : null)).catch(() => null));
      if (pages.size > MOST_KEPT) pages.delete(pages.keys().next().value);
    }
    return pages.get(ply);
  };
  const readBeside = () => {
    for (const ply of [at() + 1, at() - 1]) if (ply >= 0 && ply <= Number(walk().dataset.last)) read(ply);
  };
  const showCurrent = () => {
    document.getElementById("keys").hidden = false;
    const current = document.querySelector(".log [aria-current]");
    if (!current) return;
    const list = current.closest(".log");
    list.scrollTop = current.closest("li").offsetTop - list.offsetTop - list.clientHeight / 2;
  };
  const show = (text, ply) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const [shown, fresh] = [document, page].map((each) => each.querySelector("main"));
    const focused = shown.contains(document.activeElement) ? document.activeElement : null;
    const isOpen = document.getElementById("drawing").open;
    shown.replaceWith(fresh);
    document.title = page.title;
    history.replaceState(history.state, "", pathTo(ply));
    document.getElementById("drawing").open = isOpen;
    if (focused) (fresh.querySelector(`a[data-key="${focused.dataset.key}"]`) ?? fresh).focus({ preventScroll: true });
    showCurrent();
  };
  const follow = async () => {
    if (isShowing) return;
    isShowing = true;
    while (at() !== wanted) {
      const ply = wanted;
      const text = await read(ply);
      if (text === null) {
        location.assign(pathTo(ply));
        return;
      }
      show(text, ply);
    }
    isShowing = false;
    readBeside();
  };
  const go = (ply) => {
    wanted = Math.min(Math.max(ply, 0), Number(walk().dataset.last));
    follow();
  };

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, textarea, select, .log, pre")) return;
    const ply = { Home: 0, ArrowLeft: wanted - 1, ArrowRight: wanted + 1, End: Number(walk().dataset.last) }[event.key];
    if (ply === undefined) return;
    event.preventDefault();
    go(ply);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".plies a, .log a");
    const [, ply] = link?.getAttribute("href").match(/\/ply\/(\d+)\/$/) ?? [];
    if (ply === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(Number(ply));
  });
  showCurrent();
  readBeside();
}
