// The page of a match: every answer brings all of its parts anew; what is being typed or built stays.
"use strict";

const part = (id) => document.getElementById(id);
const typedIn = (area) =>
  [...area.querySelectorAll("input:not([type=hidden]), textarea")].filter((field) => field.value !== field.defaultValue);
const isDirty = (area) => typedIn(area).length > 0;
const isBusy = () => {
  const move = part("move");
  return move !== null && ("building" in move.dataset || move.querySelector(".refusal") !== null || isDirty(move));
};

// --- News ---

let isLook = false; // whether what is being swapped in is news, and not the answer to something the reader did
let pieces = null; // where the pieces lay before the board was swapped
let sent = null; // the form that is being answered, or what asked for news
news.subscribe("page", (word) => {
  if (word !== part("live").dataset.now) htmx.trigger("#live", "look");
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  sent = requestConfig.elt;
  isLook = sent.id === "live";
  pieces = travel.from(document.querySelector("#board .board > svg"));
  part("trouble").hidden = true;
  if (xhr.status < 400 && !xhr.responseText.includes('id="live"')) {
    event.detail.shouldSwap = false; // another page
    if (!session.isLost(xhr)) location.assign(xhr.responseURL);
  }
});
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  const { id } = target;
  const isOwn = target.contains(sent);
  if (isLook && id === "messages") event.detail.shouldSwap = false;
  if (id === "board" || id === "move") {
    if (part("move").contains(sent) || !isBusy()) return;
    event.detail.shouldSwap = false;
    if (id === "board" && fragment.firstElementChild.dataset.stands !== target.dataset.stands) part("news").hidden = false;
    return;
  }
  // A fragment is new HTML: what was typed elsewhere than in the form that was sent goes along into it.
  for (const field of typedIn(target)) {
    const fresh = field.id && !(isOwn && sent.contains(field)) && fragment.getElementById(field.id);
    if (!fresh) continue;
    fresh.value = field.value;
    fresh.closest("details")?.setAttribute("open", "");
  }
  for (const details of target.querySelectorAll("details[id][open]"))
    if (!isOwn) fragment.getElementById(details.id)?.setAttribute("open", "");
});
for (const trouble of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(trouble, (event) => {
    const { requestConfig, xhr } = event.detail;
    if (requestConfig.elt.id !== "live" && !session.isLost(xhr)) part("trouble").hidden = false;
  });
}

// --- The board is as wide as the height of the window lets it be whole; where it would be too small, down to its fold ---

const SMALLEST = 416; // pixels of a board that is whole
const fitBoard = () => {
  const picture = document.querySelector("#board .board > svg");
  const { width, height } = picture.viewBox.baseVal;
  const isWhole = ((innerHeight - 112) * width) / height >= SMALLEST;
  document.documentElement.style.setProperty("--ratio", width / ((!isWhole && picture.dataset.fold) || height));
  document.documentElement.style.setProperty("--widest", isWhole ? "46rem" : "30rem");
};
addEventListener("resize", fitBoard);
// Where a phone's move bar would cover what lies above the fold, the page begins further down.
const showHand = () => {
  const bar = part("move-bar");
  if (!bar || getComputedStyle(bar).position !== "fixed" || location.hash) return;
  const picture = document.querySelector("#board .board > svg");
  const { top, width } = picture.getBoundingClientRect();
  const bottom = top + ((picture.dataset.fold || 0) * width) / picture.viewBox.baseVal.width;
  const hidden = bottom + 6 - bar.getBoundingClientRect().top;
  if (hidden > 0 && top > 0) scrollBy({ top: Math.min(hidden, top), behavior: "instant" });
};

// --- The talk is read from its end; the time that is left is counted ---

const showLast = () => {
  const said = part("talk-said");
  if (said) said.scrollTop = said.scrollHeight;
};
const count = () => {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "always" });
  for (const left of document.querySelectorAll("[data-until]")) {
    const minutes = Math.round((new Date(left.dataset.until) - Date.now()) / 60000);
    if (minutes < 0) continue;
    const [number, unit] =
      minutes < 120 ? [minutes, "minute"] : minutes < 2880 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1440), "day"];
    left.textContent = `(${words.format(number, unit)})`;
  }
};

document.addEventListener("htmx:afterRequest", () => {
  setTimeout(() => {
    fitBoard();
    travel.to(document.querySelector("#board .board > svg"), pieces);
    pieces = null;
    showHand();
    showLast();
    count();
  });
  news.later();
});
fitBoard();
showHand();
showLast();
count();
setInterval(count, 30000);
