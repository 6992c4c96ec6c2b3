// The board is as wide as the height of the window lets it be whole; where it would be too small, down to its fold.
"use strict";
{
  const SMALLEST = 416; // pixels of a board that is whole
  const findPicture = () => document.querySelector("#board .board > svg");
  const fit = () => {
    const picture = findPicture();
    const { width, height } = picture.viewBox.baseVal;
    const isWhole = ((innerHeight - 112) * width) / height >= SMALLEST;
    document.documentElement.style.setProperty("--ratio", width / ((!isWhole && picture.dataset.fold) || height));
    document.documentElement.style.setProperty("--widest", isWhole ? "46rem" : "30rem");
  };
  // Where a phone's move bar or window would cover what lies above the fold, the page begins further down; a lesson is
  // read first.
  const showHand = () => {
    const bar = document.getElementById("move-bar");
    const { position } = bar ? getComputedStyle(bar) : {};
    if (!["fixed", "sticky"].includes(position) || location.hash || document.getElementById("lesson")) return;
    const picture = findPicture();
    const { top, width } = picture.getBoundingClientRect();
    const bottom = top + ((picture.dataset.fold || 0) * width) / picture.viewBox.baseVal.width;
    const hidden = bottom + 6 - (position === "fixed" ? bar.getBoundingClientRect().top : innerHeight);
    if (hidden > 0 && top > 0) scrollBy({ top: Math.min(hidden, top), behavior: "instant" });
  };
  const begin = () => {
    fit();
    showHand();
  };
  addEventListener("resize", fit);
  document.addEventListener("htmx:afterRequest", () => setTimeout(begin));
  begin();
}
