// Asks whether anything is new and tells whoever has subscribed: `page`, the progress of this page as a word, and
// `turns`, the codes of the matches that wait for the reader. A server that can keeps the question until the answer is
// another, for `data-wait` seconds at most; otherwise, and while the page is hidden, it is asked now and then.
"use strict";
const news = (() => {
  const acts = {};
  let timer = 0;
  let asked = null;
  let known = {};
  let keeps = true; // whether the server may keep the next question
  const source = () => [...document.querySelectorAll("[data-news]")].at(-1);
  const isHidden = () => document.visibilityState === "hidden";
  const later = () => {
    clearTimeout(timer);
    if (!source()) return;
    const { seconds, wait } = source().dataset;
    timer = setTimeout(ask, 1000 * (isHidden() ? Math.max(seconds, 60) : wait && keeps ? 1 : seconds));
  };
  const ask = async () => {
    if (asked || !source()) return;
    const { news: address, wait } = source().dataset;
    const headers = { Accept: "application/json" };
    if (known.tag && known.address === address) {
      headers["If-None-Match"] = known.tag;
      if (wait && !isHidden()) headers.Prefer = `wait=${wait}`;
    }
    asked = new AbortController();
    const answer = await fetch(address, { headers, signal: asked.signal }).catch(() => null);
    const words = answer?.status === 304 ? known.words : answer?.ok && (await answer.json().catch(() => null));
    asked = null;
    keeps = Boolean(answer?.ok || answer?.headers.has("Preference-Applied"));
    known = words ? { address, tag: answer.headers.get("ETag"), words } : {};
    // Who has been signed out keeps the page as it is, with all that is typed in it.
    const isOut = words?.turns === null && document.querySelector("#turns a");
    for (const [subject, word] of Object.entries(words || {}))
      if (!isOut || subject !== "page") for (const act of acts[subject] ?? []) act(word);
    later();
  };
  document.addEventListener("visibilitychange", () => {
    asked?.abort();
    if (isHidden()) later();
    else setTimeout(ask);
  });
  document.addEventListener("DOMContentLoaded", later);
  return {
    // Calls `act` with each word that comes about this subject, changed or not.
    subscribe: (subject, act) => (acts[subject] ??= []).push(act),
    // Begins the wait for the next word anew, as after an answer that told everything.
    later,
  };
})();
