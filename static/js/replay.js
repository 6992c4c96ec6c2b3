// Steps through a match without a new page for each ply: by keys, links, slider, swipes on the board, and by itself.
// The plies come in parts, each asked for once; the next part is fetched before it is needed.
"use strict";
{
  const AHEAD = 8; // plies from the end of a part at which the next is fetched
  const SWIPE = 40; // pixels
  const READ = 55; // milliseconds for each sign of what is told, when it plays by itself: about 200 words a minute
  const [SHORTEST, LONGEST] = [1500, 5000]; // milliseconds for a board
  const nav = document.querySelector(".plies");
  const board = document.querySelector("figure.board");
  const [play, slider] = document.querySelectorAll("#player > *");
  const last = Number(nav.dataset.last);
  const size = Number(nav.dataset.partSize);
  const parts = new Map(); // by number: the promise of the part, null if there was none
  const pathTo = (ply) => nav.dataset.page.replace(/0\/$/, `${ply}/`) + location.search;
  let at = Number(nav.dataset.at);
  let wanted = at;
  let isFollowing = false;
  let timer = 0; // of the next step by itself; 0 while that is off

  // --- Parts ---

  const read = (number) => {
    if (!parts.has(number)) {
      const path = nav.dataset.part.replace(/0\/$/, `${number * size}/`);
      const part = fetch(path).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
      parts.set(number, part);
      part.then((found) => found || parts.delete(number));
    }
    return parts.get(number);
  };
  const readAround = (ply) => {
    for (const near of [ply, ply + AHEAD, ply - AHEAD]) if (near >= 0 && near <= last) read(Math.floor(near / size));
  };

  // --- One ply on the page ---

  const showLinks = () => {
    const targets = { Home: 0, ArrowLeft: at - 1, ArrowRight: at + 1, End: last };
    for (const link of nav.querySelectorAll("[data-key]")) {
      const ply = targets[link.dataset.key];
      const isFocused = link === document.activeElement;
      if (ply !== at && ply >= 0 && ply <= last) link.setAttribute("href", pathTo(ply));
      else link.removeAttribute("href");
      if (isFocused && !link.hasAttribute("href")) slider.focus({ preventScroll: true });
    }
  };
  // The log of a part takes the place of one that is not the whole log and does not tell this ply.
  const showInLog = (log) => {
    const lines = () => [...document.querySelectorAll(".log a[data-first]")];
    const tells = (line) => Number(line.dataset.first) <= at && at <= Number(line.textContent);
    const whole = () => document.querySelector("#log .earlier a");
    const isFocused = Boolean(document.activeElement?.closest("#log"));
    if (log && whole() && !lines().some(tells)) document.getElementById("log").outerHTML = log;
    whole()?.setAttribute("href", `${pathTo(at).replace(/\?.*/, "")}?log=all#log`);
    for (const line of lines()) line.toggleAttribute("aria-current", false);
    const current = lines().find(tells);
    const list = document.querySelector("#log .log");
    if (at === 0 && list) list.scrollTop = list.scrollHeight; // before the first move
    if (!current) return;
    current.setAttribute("aria-current", "true");
    list.scrollTop = current.closest("li").offsetTop - list.offsetTop - list.clientHeight / 2;
    if (isFocused && !document.activeElement?.closest("#log")) current.focus({ preventScroll: true });
  };
  // The list of pieces was that of another board; what is shared is the board that is seen.
  const showElsewhere = () => {
    for (const id of ["answer", "pieces"]) document.getElementById(id)?.remove();
    document.getElementById("what-is-this")?.setAttribute("href", `${pathTo(at).replace(/\?.*/, "")}?pieces#pieces`);
    const share = (text) => text.replace(/\/\d+(\.png|\/)\?/, `/${at}$1?`);
    for (const link of document.querySelectorAll("#share a")) link.href = share(link.href);
    const embed = document.getElementById("embed");
    if (embed) embed.value = share(embed.value);
    document.dispatchEvent(new Event("stepped"));
  };
  const show = (ply, fresh, log) => {
    const before = travel.from(board.querySelector("svg"));
    at = ply;
    board.innerHTML = fresh.board;
    travel.to(board.querySelector("svg"), before);
    document.querySelector("#drawing .words").innerHTML = fresh.drawing;
    document.getElementById("status").textContent = fresh.status;
    document.getElementById("move").innerHTML = fresh.move;
    nav.querySelector(".at").textContent = `${at} / ${last}`;
    slider.value = wanted;
    document.title = document.title.replace(nav.dataset.title, () => fresh.title);
    nav.dataset.title = fresh.title;
    history.replaceState(history.state, "", pathTo(at));
    showLinks();
    showInLog(log);
    showElsewhere();
  };

  // --- Steps ---

  // Every step counts at once; the board follows as fast as the parts come.
  const go = async (ply) => {
    wanted = Math.min(Math.max(ply, 0), last);
    if (isFollowing) return;
    isFollowing = true;
    while (at !== wanted) {
      const [ply, number] = [wanted, Math.floor(wanted / size)];
      const part = await read(number);
      const fresh = part?.plies[ply - number * size];
      if (!fresh) {
        location.assign(pathTo(ply));
        return;
      }
      show(ply, fresh, part.log);
    }
    isFollowing = false;
    readAround(at);
  };
  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    play.textContent = play.dataset.play;
  };
  const goByHand = (ply) => {
    pause();
    go(ply);
  };
  const playOn = () => {
    clearTimeout(timer);
    if (at === last) return pause();
    const told = [...document.querySelectorAll("#move .told")].map((sentence) => sentence.textContent).join(" ");
    timer = setTimeout(async () => {
      await go(at + 1);
      if (timer) playOn();
    }, Math.min(Math.max(told.length * READ, SHORTEST), LONGEST));
  };
  play.addEventListener("click", async () => {
    if (timer) return pause();
    play.textContent = play.dataset.pause;
    timer = -1;
    await go(at === last ? 0 : at + 1);
    if (timer) playOn();
  });
  document.addEventListener("visibilitychange", () => document.hidden && pause());
  slider.addEventListener("input", () => goByHand(Number(slider.value)));

  const isPlain = (event) => !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.button);
  document.addEventListener("keydown", (event) => {
    if (!isPlain(event) || event.target.closest("input, textarea, select, .log, pre")) return;
    const ply = { Home: 0, ArrowLeft: wanted - 1, ArrowRight: wanted + 1, End: last }[event.key];
    if (ply === undefined) return;
    event.preventDefault();
    goByHand(ply);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".plies a[href], .log li a");
    const [, ply] = link?.getAttribute("href").match(/\/ply\/(\d+)\//) ?? [];
    if (ply === undefined || !isPlain(event)) return;
    event.preventDefault();
    goByHand(Number(ply));
  });

  // --- Swipes ---

  let start = null;
  board.addEventListener("pointerdown", (event) => {
    start = event.isPrimary && event.pointerType !== "mouse" ? event : null;
  });
  board.addEventListener("pointercancel", () => (start = null)); // the finger scrolls the page, or two fingers zoom it
  board.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    start = null;
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) goByHand(wanted + (x < 0 ? 1 : -1));
  });
  // On an enlarged page a finger moves what is seen.
  const letSwipe = () => board.classList.toggle("swiped", visualViewport.scale <= 1);
  visualViewport.addEventListener("resize", letSwipe);

  document.getElementById("keys").hidden = document.getElementById("player").hidden = false;
  slider.value = at;
  letSwipe();
  showLinks();
  showInLog();
  readAround(at);
}
