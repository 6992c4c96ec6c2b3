// The page of a match: every answer brings all of its parts anew; what is being typed or built stays.
"use strict";

const part = (id) => document.getElementById(id);
const typedIn = (area) =>
  [...area.querySelectorAll("input:not([type=hidden]), textarea")].filter((field) => field.value !== field.defaultValue);
const isDirty = (area) => typedIn(area).length > 0;
const isBusy = () => {
  const move = part("move");
  const isPressed = document.querySelector("#board .on-board a:active") !== null;
  return move !== null && (isPressed || "building" in move.dataset || move.querySelector(".refusal") !== null || isDirty(move));
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

// --- The talk is read from its end; the time that is left is counted ---

const showLast = () => {
  const said = part("talk-said");
  if (said) said.scrollTop = said.scrollHeight;
};
const count = () => {
  for (const left of document.querySelectorAll("[data-until]")) {
    const minutes = Math.round((new Date(left.dataset.until) - Date.now()) / 60000);
    if (minutes < 0) continue;
    const hours = Math.round(minutes / 60);
    const [number, unit] =
      minutes < 100 ? [minutes, "minute"] : hours < 48 ? [hours, "hour"] : [Math.round(minutes / 1440), "day"];
    left.textContent = new Intl.NumberFormat(document.documentElement.lang, {
      style: "unit", unit, unitDisplay: "long",
    }).format(number);
  }
};

document.addEventListener("htmx:afterRequest", () => {
  setTimeout(() => {
    travel.to(document.querySelector("#board .board > svg"), pieces);
    pieces = null;
    showLast();
    count();
  });
  news.later();
});
showLast();
count();
setInterval(count, 30000);
