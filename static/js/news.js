// Asks the server whether anything is new and tells whoever has subscribed. The last element with `data-news` names the
// address. A server that can keeps the question of a visible page, in which `data-wait` says for how many seconds, until
// the answer is another; otherwise the page asks at the pace of `data-seconds`, and a hidden one less often. An answer
// is a word for each subject: `page`, the progress of this page, and `turns`, the codes of the matches that wait for the
// reader.
"use strict";
const news = (() => {
  const HIDDEN_SECONDS = 60;
  const SOON = 1;
  const acts = {};
  let waiting = 0;
  let asked = null;
  let known = {};
  let keeps = true; // whether the server may keep the next question
  const source = () => [...document.querySelectorAll("[data-news]")].at(-1);
  const isHidden = () => document.visibilityState === "hidden";
  const askIn = (seconds) => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 1000 * seconds);
  };
  const later = () => {
    clearTimeout(waiting);
    if (!source()) return;
    const { seconds, wait } = source().dataset;
    if (isHidden()) askIn(Math.max(seconds, HIDDEN_SECONDS));
    else askIn(wait && keeps ? SOON : seconds);
  };
  const headersFor = ({ news: address, wait }) => {
    const headers = { Accept: "application/json" };
    if (known.address !== address || !known.tag) return headers;
    return { ...headers, "If-None-Match": known.tag, ...(wait && !isHidden() ? { Prefer: `wait=${wait}` } : {}) };
  };
  const tell = (words) => {
    // Who has been signed out keeps the page as it is, with all that is typed in it.
    if (words.turns === null && document.querySelector("#turns a")) delete words.page;
    for (const [subject, word] of Object.entries(words)) for (const act of acts[subject] ?? []) act(word);
  };
  const ask = async () => {
    if (asked || !source()) return;
    const address = source().dataset.news;
    const headers = headersFor(source().dataset);
    asked = new AbortController();
    const answer = await fetch(address, { headers, signal: asked.signal }).catch(() => null);
    const isKnown = answer?.status === 304;
    const words = isKnown ? known.words : answer?.ok ? await answer.json().catch(() => ({})) : {};
    asked = null;
    known = isKnown || answer?.ok ? { address, tag: answer.headers.get("ETag"), words } : {};
    tell({ ...words });
    keeps = Boolean(answer?.ok || answer?.headers.has("Preference-Applied"));
    later();
  };
  document.addEventListener("visibilitychange", () => {
    asked?.abort();
    if (isHidden()) later();
    else askIn(0);
  });
  document.addEventListener("DOMContentLoaded", later);
  return {
    // Calls `act` with each word that comes about this subject, changed or not.
    subscribe: (subject, act) => (acts[subject] ??= []).push(act),
    // Begins the wait for the next word anew, as after an answer that told everything.
    later,
  };
})();
