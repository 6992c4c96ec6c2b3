// What is this? While it is asked, a layer over the board has a place for each piece that the page lists; touching one
// shows what the list says of it. The places to move lie below the layer and are as they were afterwards.
"use strict";
{
  const SVG = "http://www.w3.org/2000/svg";
  const zoom = typeof boardZoom === "undefined" ? null : boardZoom;
  const find = (id) => document.getElementById(id);
  const picture = () => document.querySelector("figure.board > svg");
  let isAsking = false;
  let known = null; // the list for which the button is shown

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

  const show = () => {
    document.querySelector("figure.board > svg.asked")?.remove();
    const button = find("what-is-this");
    if (!button) return;
    button.setAttribute("aria-pressed", String(isAsking));
    find("asked-enough").hidden = !isAsking;
    const said = find("what-it-is");
    said.textContent = isAsking ? said.dataset.hint : "";
    if (isAsking) drawPlaces();
  };

  const answer = (place) => {
    const piece = find("pieces").querySelectorAll("[data-boxes]")[place.dataset.pieceNumber];
    const name = document.createElement("strong");
    name.textContent = piece.querySelector("dt").textContent;
    const said = [...piece.querySelector("dd").cloneNode(true).childNodes];
    find("what-it-is").replaceChildren(name, document.createElement("br"), ...said);
    for (const other of document.querySelectorAll(".asked .told")) other.classList.remove("told");
    for (const one of document.querySelectorAll(`.asked [data-piece-number="${place.dataset.pieceNumber}"]`)) one.classList.add("told");
  };

  const stop = () => {
    isAsking = false;
    show();
    find("what-is-this")?.focus({ preventScroll: true });
  };

  document.addEventListener("click", (event) => {
    const place = event.target.closest(".asked a");
    if (place) {
      event.preventDefault();
      answer(place);
    } else if (event.target.id === "asked-enough") stop();
    else if (event.target.id === "what-is-this") {
      isAsking = !isAsking;
      show();
      if (isAsking && event.detail === 0) document.querySelector(".asked a")?.focus({ preventScroll: true });
    }
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

  // A board that was fetched brings its own list.
  const start = () => {
    if (find("pieces") === known) return;
    known = find("pieces");
    if (known) find("what-is-this").hidden = false;
    else isAsking = false;
    show();
  };
  document.addEventListener("htmx:afterRequest", () => setTimeout(start));
  start();
}
