// Asks the server now and then whether anything is new and tells whoever has subscribed; a hidden page asks less often.
// The last element with `data-news` names the address and, in `data-seconds`, the pace. Its answer is a word for each
// subject: `page`, the progress of this page, and `turns`, the codes of the matches that wait for the reader.
"use strict";
const news = (() => {
  const HIDDEN_SECONDS = 60;
  const acts = {};
  let waiting = 0;
  let isAsking = false;
  const source = () => [...document.querySelectorAll("[data-news]")].at(-1);
  const isHidden = () => document.visibilityState === "hidden";
  const later = () => {
    clearTimeout(waiting);
    if (!source()) return;
    const seconds = Number(source().dataset.seconds);
    waiting = setTimeout(ask, 1000 * (isHidden() ? Math.max(seconds, HIDDEN_SECONDS) : seconds));
  };
  const ask = async () => {
    later();
    if (isAsking || !source()) return;
    isAsking = true;
    const words = await fetch(source().dataset.news, { headers: { Accept: "application/json" } })
      .then((answer) => (answer.ok ? answer.json() : {}))
      .catch(() => ({}));
    isAsking = false;
    // Who has been signed out keeps the page as it is, with all that is typed in it.
    if (words.turns === null && document.querySelector("#turns a")) delete words.page;
    for (const [subject, word] of Object.entries(words)) for (const act of acts[subject] ?? []) act(word);
  };
  document.addEventListener("visibilitychange", () => (isHidden() ? later() : ask()));
  document.addEventListener("DOMContentLoaded", later);
  return {
    // Calls `act` with each word that comes about this subject, changed or not.
    subscribe: (subject, act) => (acts[subject] ??= []).push(act),
    // Begins the wait for the next word anew, as after an answer that told everything.
    later,
  };
})();
