// Pieces travel from where they lay to where they lie now, and what is new appears. Exports `travel`.
"use strict";
const travel = (() => {
  const DURATION = 200; // milliseconds
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)");
  const list = (picture) => new Map([...picture.querySelectorAll("[data-piece]")].map((piece) => [piece.dataset.piece, piece]));

  // Where a piece lies on its picture; the picture may move down the page.
  const lies = (piece, picture) => {
    const [box, whole] = [piece.getBoundingClientRect(), picture.getBoundingClientRect()];
    return { x: box.x - whole.x, y: box.y - whole.y };
  };
  // The places of all pieces of a picture, for `to`.
  const from = (picture) => (picture ? new Map([...list(picture)].map(([name, piece]) => [name, lies(piece, picture)])) : null);

  const to = (picture, before) => {
    if (!picture || !before || isCalm.matches) return;
    const scale = picture.viewBox.baseVal.width / picture.getBoundingClientRect().width;
    for (const [name, piece] of list(picture)) {
      const was = before.get(name);
      const is = lies(piece, picture);
      if (!was) piece.animate({ opacity: [0, 1] }, DURATION);
      else if (Math.hypot(was.x - is.x, was.y - is.y) > 2)
        piece.animate({ translate: [`${(was.x - is.x) * scale}px ${(was.y - is.y) * scale}px`, "0 0"] }, { duration: DURATION, easing: "ease-out" });
    }
  };
  return { from, to };
})();
