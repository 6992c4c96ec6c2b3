// The part of a large board that can be enlarged and moved about: by pinch, wheel, dragging and the keys + - 0.
// Exports `boardZoom`; touch.js draws its places with it.
"use strict";
const boardZoom = (() => {
  const FINGER = 41; // pixels that a place should have
  const SLIP = 10; // pixels that a finger may slip while it touches
  const MOST = 6;
  let part = null; // the nested picture that is zoomed
  let whole = null; // what it shows unzoomed
  let shows = null; // what it shows now
  let kept = ""; // the part for which `shows` holds

  const numbers = (text) => text.split(/[ ,]+/).map(Number);
  const pixels = () => part.ownerSVGElement.getBoundingClientRect().width / part.ownerSVGElement.viewBox.baseVal.width;
  // Where the part is on the screen; its own rectangle would be that of all it holds.
  const frame = () => {
    const picture = part.ownerSVGElement.getBoundingClientRect();
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => part[name].baseVal.value * pixels());
    return { x: picture.x + x, y: picture.y + y, width, height };
  };
  const factor = () => whole[2] / shows[2];

  const around = (places) => {
    const [left, top] = [Math.min(...places.map(([x]) => x)), Math.min(...places.map(([, y]) => y))];
    const right = Math.max(...places.map(([x, , width]) => x + width));
    const bottom = Math.max(...places.map(([, y, , height]) => y + height));
    return [left, top, right - left, bottom - top];
  };
  const apply = () => {
    for (const layer of document.querySelectorAll("#board svg[data-zoom]")) layer.setAttribute("viewBox", shows.join(" "));
  };
  // Shows `zoom` times as much detail around a place of the picture, which stays within what there is.
  const showAround = (zoom, x, y, besideX = 0.5, besideY = 0.5) => {
    const least = Math.min(1, whole[2] / reach[2], whole[3] / reach[3]);
    const by = Math.min(MOST, Math.max(least, zoom));
    const [width, height] = [whole[2] / by, whole[3] / by];
    const clamp = (at, low, high) => (high < low ? (low + high) / 2 : Math.min(Math.max(at, low), high));
    shows = [
      clamp(x - besideX * width, reach[0], reach[0] + reach[2] - width),
      clamp(y - besideY * height, reach[1], reach[1] + reach[3] - height),
      width,
      height,
    ];
    apply();
  };
  let closer = null; // what it showed before the whole of it was looked at
  let reach = null; // all that can be shown: the whole part, and the places beyond its edges

  // Begins with these places of the part as [x, y, width, height], large enough for a finger, as many as fit.
  const begin = (picture, places) => {
    part = picture?.querySelector("svg[data-zoom]") || null;
    document.getElementById("whole-board").hidden = !part;
    if (!part) return;
    whole = numbers(part.getAttribute("viewBox"));
    reach = around([whole, ...places]);
    const marks = document.querySelector("#board .marks");
    if (marks?.querySelector("[data-grows]")) {
      const layer = part.cloneNode(false);
      layer.append(...marks.querySelectorAll("[data-grows]"));
      marks.append(layer);
    }
    if (kept === `${whole}` && shows) return apply();
    kept = `${whole}`;
    const smallest = Math.min(...places.map(([, , width, height]) => Math.min(width, height)));
    const needed = places.length ? FINGER / (smallest * pixels()) : 1;
    shows = [...whole];
    const middle = (from, size) =>
      places.length ? places.reduce((sum, place) => sum + place[from] + place[size] / 2, 0) / places.length : whole[from] + whole[size] / 2;
    showAround(Math.max(1, needed), middle(0, 2), middle(1, 3));
  };

  // Moves the part as little as it takes to show these places; the nearest of them if there is no room for all.
  const reveal = (places) => {
    if (!part || !places.length) return;
    reach = around([reach, ...places]); // what was fetched later may lie further out
    const isSeen = ([x, y, width, height]) =>
      x >= shows[0] && y >= shows[1] && x + width <= shows[0] + shows[2] && y + height <= shows[1] + shows[3];
    if (places.every(isSeen)) return;
    const middle = [shows[0] + shows[2] / 2, shows[1] + shows[3] / 2];
    const apart = ([x, y, width, height]) => Math.hypot(x + width / 2 - middle[0], y + height / 2 - middle[1]);
    let [x, y, width, height] = around(places);
    if (width > shows[2] || height > shows[3]) {
      if (places.some(isSeen)) return;
      [x, y, width, height] = [...places].sort((one, other) => apart(one) - apart(other))[0];
    }
    const shift = (from, size, low, room) => Math.min(low, from) + Math.max(0, low + room - (Math.min(low, from) + size));
    const left = shift(shows[0], shows[2], x, width);
    const top = shift(shows[1], shows[3], y, height);
    showAround(factor(), left + shows[2] / 2, top + shows[3] / 2);
  };

  // The layer for places in the zoomed part; the whole overlay for the others.
  const layerIn = (overlay, box) => {
    if (!part || !box[5]) return overlay;
    let layer = overlay.querySelector("svg[data-zoom]");
    if (!layer) {
      layer = part.cloneNode(false);
      layer.setAttribute("viewBox", shows.join(" "));
      const ground = document.createElementNS(part.namespaceURI, "rect");
      ground.setAttribute("class", "ground");
      for (const [name, value] of [["x", reach[0]], ["y", reach[1]], ["width", reach[2]], ["height", reach[3]]]) ground.setAttribute(name, value);
      layer.append(ground);
      layer.addEventListener("touchmove", (event) => event.preventDefault(), { passive: false }); // the page stays
      overlay.prepend(layer);
    }
    return layer;
  };

  // --- Fingers, wheel and keys ---

  const fingers = new Map();
  let start = null; // where the first finger came down; null again once it has moved the board
  const isWithin = (event) => part && event.target.closest?.("#board svg[data-zoom]");
  const place = ({ clientX, clientY }) => {
    const box = frame();
    return [(clientX - box.x) / box.width, (clientY - box.y) / box.height];
  };
  const zoomAt = (event, by) => {
    const [x, y] = place(event);
    showAround(factor() * by, shows[0] + x * shows[2], shows[1] + y * shows[3], x, y);
  };
  document.addEventListener("pointerdown", (event) => {
    if (!isWithin(event)) return;
    if (!fingers.size) start = event;
    fingers.set(event.pointerId, event);
  });
  document.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    fingers.set(event.pointerId, event);
    if (start && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) < SLIP) return;
    start = null;
    const others = [...fingers.values()].filter((one) => one.pointerId !== event.pointerId);
    if (others.length) {
      const apart = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      if (apart(before)) zoomAt(others[0], apart(event) / apart(before));
      return;
    }
    const box = frame();
    const [x, y] = [shows[0] + shows[2] / 2, shows[1] + shows[3] / 2];
    showAround(
      factor(),
      x - ((event.clientX - before.clientX) / box.width) * shows[2],
      y - ((event.clientY - before.clientY) / box.height) * shows[3],
    );
  });
  document.addEventListener(
    "click",
    (event) => {
      if (!isWithin(event) || start || !event.isTrusted || event.detail === 0) return;
      event.stopPropagation(); // the end of a movement is no touch
      event.preventDefault();
    },
    { capture: true },
  );
  for (const name of ["pointerup", "pointercancel"]) document.addEventListener(name, (event) => fingers.delete(event.pointerId));
  document.addEventListener(
    "wheel",
    (event) => {
      if (!isWithin(event)) return;
      event.preventDefault();
      zoomAt(event, Math.exp(-event.deltaY / 400));
    },
    { passive: false },
  );
  document.addEventListener("keydown", (event) => {
    const by = { "+": 1.25, "-": 0.8, 0: 0 }[event.key];
    if (!part || by === undefined || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    showAround(by ? factor() * by : 1, shows[0] + shows[2] / 2, shows[1] + shows[3] / 2);
  });
  document.addEventListener("click", (event) => {
    if (event.target.id !== "whole-board") return;
    const isWhole = factor() <= 1;
    if (isWhole && closer) shows = closer;
    else closer = [...shows];
    if (isWhole) apply();
    else showAround(0, 0, 0);
  });
  return { begin, layerIn, reveal };
})();
