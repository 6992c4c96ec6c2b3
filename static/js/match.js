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

// --- Looking for news ---

let isLook = false; // whether what is being swapped in is news, and not the answer to something the reader did
let sent = null; // the form that is being answered, or what asked for news
let waiting = 0;
const look = async () => {
  const live = part("live");
  waiting = setTimeout(look, 1000 * live.dataset.seconds);
  if (document.visibilityState !== "visible") return;
  const answer = await fetch(live.dataset.progress, { headers: { Accept: "text/plain" } }).catch(() => null);
  if (answer && answer.ok && (await answer.text()) !== part("live").dataset.now) htmx.trigger("#live", "look");
};
const lookSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, 1000 * part("live").dataset.seconds);
};
document.addEventListener("visibilitychange", () => {
  clearTimeout(waiting);
  look();
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr, requestConfig } = event.detail;
  sent = requestConfig.elt;
  isLook = sent.id === "live";
  part("trouble").hidden = true;
  if (xhr.status < 400 && !xhr.responseText.includes('id="live"')) {
    event.detail.shouldSwap = false; // another page, such as the one to sign in on
    location.assign(xhr.responseURL);
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
    if (event.detail.requestConfig.elt.id !== "live") part("trouble").hidden = false;
  });
}

// --- Choosing on the board: as the button of the same choice does ---

let chosenOn = "";
document.addEventListener("click", (event) => {
  const link = event.target.closest(".on-board a");
  const choice = event.target.closest("#move button[name=choose]");
  if (choice) chosenOn = event.isTrusted ? "move" : "board";
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  const text = new URL(link.href.baseVal, location.href).searchParams.get("move");
  const button = [...document.querySelectorAll("#move .choices button")].find((one) => one.value === text);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// Who chose with the keyboard goes on from there.
const goOn = () => {
  if (!chosenOn || !document.activeElement || document.activeElement !== document.body) return;
  const next = [
    chosenOn === "board" ? ".on-board a" : "#move .choices button",
    "#move button.primary",
    "#move-title",
  ];
  const found = next.map((selector) => document.querySelector(selector)).find(Boolean);
  chosenOn = "";
  if (found) found.focus({ preventScroll: true });
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
    goOn();
    showLast();
    count();
  });
  if (!isLook) lookSoon();
});
showLast();
count();
setInterval(count, 30000);
lookSoon();
