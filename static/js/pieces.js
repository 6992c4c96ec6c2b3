// What is this? While it is asked, a layer over the board has a place for each piece that the server lists; touching one
// shows what the list says of it. The places to move lie below the layer and are as they were afterwards.
// ask.js loads this file when the link is first followed, so it begins by asking.
"use strict";
{
  const SVG = "http://www.w3.org/2000/svg";
  const zoom = typeof boardZoom === "undefined" ? null : boardZoom;
  const find = (id) => document.getElementById(id);
  const picture = () => document.querySelector("figure.board > svg");
  const LEAST = 24.5; // pixels that a place has at least (WCAG 2.5.8)
  let isAsking = false;
  let focused = null; // what had the focus last, perhaps on a board that is gone

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // A box of the list, as zoom.js knows places: x, y, width, height, mark, whether it grows.
  const readBox = (text) => {
    const [x, y, width, height, grows] = text.split(" ");
    return [x, y, width, height].map(Number).concat("", grows !== undefined);
  };

  const drawPlaces = () => {
    const layer = element("svg", { class: "asked", viewBox: picture().getAttribute("viewBox"), role: "group" });
    layer.setAttribute("aria-label", find("what-is-this").textContent);
    for (const [number, piece] of [...find("pieces").querySelectorAll("[data-boxes]")].entries()) {
      const label = piece.querySelector("dt").textContent;
      for (const [copy, box] of piece.dataset.boxes.split(";").map(readBox).entries()) {
        const [x, y, width, height] = box;
        const rect = element("rect", { x, y, width, height, rx: 6 });
        const place = element("a", { href: "#what-it-is", role: "button", "data-piece-number": number, "aria-label": label }, rect);
        if (copy) place.setAttribute("tabindex", "-1"); // pieces that are alike are asked for once by keyboard
        place.addEventListener("focus", () => box[5] && zoom?.reveal([box]));
        (zoom ? zoom.layerIn(layer, box) : layer).append(place);
      }
    }
    document.querySelector("figure.board").append(layer);
  };

  // Where places are too small for a finger, the board is larger while it is asked about, and scrolls.
  const enlarge = () => {
    const board = document.querySelector("figure.board");
    const boxes = [...board.querySelectorAll(".asked a rect")].map((rect) => rect.getBoundingClientRect());
    const smallest = Math.min(...boxes.flatMap((box) => [box.width, box.height]));
    board.style.setProperty("--asked", Math.max(1, LEAST / smallest));
    board.classList.add("asking");
  };
  const wasLost = () => focused?.matches(".asked a") && !focused.isConnected && document.activeElement === document.body;
  // The same piece on the new board, or the first one.
  const focusPlace = () => {
    const places = [...document.querySelectorAll(".asked a:not([tabindex])")];
    const name = wasLost() ? focused.getAttribute("aria-label") : "";
    (places.find((place) => place.getAttribute("aria-label") === name) || places[0])?.focus({ preventScroll: true });
  };

  // Fetches the list of the board that is shown; false if there is a newer board.
  const fetchList = async () => {
    if (find("pieces")) return true;
    const link = find("what-is-this");
    const { href } = link;
    const answer = await fetch(href).catch(() => null);
    if (link.href !== href) return fetchList(); // another ply is shown by now
    if (!answer?.ok) return false;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [fresh, list] = ["answer", "pieces"].map((id) => page.getElementById(id));
    if (!list || page.getElementById("board")?.dataset.stands !== find("board")?.dataset.stands) return false;
    list.removeAttribute("open");
    if (link.isConnected && !find("pieces")) link.parentElement.after(fresh, list);
    return Boolean(find("pieces"));
  };

  const clear = () => {
    document.querySelector("figure.board > svg.asked")?.remove();
    document.querySelector("figure.board")?.classList.remove("asking");
    if (find("answer")) find("answer").hidden = !isAsking;
  };
  const begin = async (byKeyboard) => {
    isAsking = true;
    const { href } = find("what-is-this");
    if (!(await fetchList())) {
      location.assign(href); // the page with the newest board and its list
      return;
    }
    clear();
    if (!isAsking) return;
    find("what-it-is").textContent = find("what-it-is").dataset.hint;
    drawPlaces();
    enlarge();
    if (byKeyboard || wasLost()) focusPlace();
  };
  const stop = () => {
    isAsking = false;
    clear();
    find("what-is-this")?.focus({ preventScroll: true });
  };

  const answer = (place) => {
    const number = place.dataset.pieceNumber;
    const piece = find("pieces").querySelectorAll("[data-boxes]")[number];
    const name = document.createElement("strong");
    name.textContent = piece.querySelector("dt").textContent;
    const said = [...piece.querySelector("dd").cloneNode(true).childNodes];
    find("what-it-is").replaceChildren(name, document.createElement("br"), ...said);
    for (const other of document.querySelectorAll(".asked .told")) other.classList.remove("told");
    for (const one of document.querySelectorAll(`.asked [data-piece-number="${number}"]`)) one.classList.add("told");
  };

  document.addEventListener("focusin", (event) => (focused = event.target));
  document.addEventListener("click", (event) => {
    const place = event.target.closest(".asked a");
    if (place) {
      event.preventDefault();
      answer(place);
    } else if (event.target.id === "asked-enough") stop();
    else if (event.target.id === "what-is-this") isAsking ? stop() : begin(event.detail === 0);
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (!isAsking || event.ctrlKey || event.metaKey || event.altKey) return;
      const place = event.target.closest?.(".asked a");
      if (event.key === "Escape") stop();
      else if (event.key === " " && place) answer(place);
      else return;
      event.preventDefault();
      event.stopImmediatePropagation(); // the move that is being built stays
    },
    { capture: true },
  );

  // A board that was fetched needs its own list.
  document.addEventListener("htmx:afterRequest", () =>
    setTimeout(() => {
      if (!isAsking || document.querySelector("figure.board > svg.asked")) return;
      if (find("what-is-this")) begin(false);
      else isAsking = false; // a preview
    }),
  );
  document.addEventListener("stepped", () => isAsking && begin(false)); // another ply, in a replay
  begin(find("what-is-this") === document.activeElement && document.activeElement.matches(":focus-visible"));
}
