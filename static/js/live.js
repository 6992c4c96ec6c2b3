// Shows that the page is out of date, or reloads it when nothing would be lost by that.
"use strict";
for (const news of document.querySelectorAll("[data-live]")) {
  const { live, liveNow, liveSeconds } = news.dataset;
  const isTyping = () =>
    [...document.querySelectorAll("input:not([type=hidden]), textarea")].some((field) => field.value !== field.defaultValue) ||
    document.querySelector(".previewed, .refusal") !== null;
  const look = async () => {
    if (document.visibilityState !== "visible") return;
    const answer = await fetch(live, { headers: { Accept: "text/plain" } }).catch(() => null);
    if (!answer || !answer.ok || (await answer.text()) === liveNow) return;
    clearInterval(timer);
    if (isTyping()) news.hidden = false;
    else location.assign(news.querySelector("a").href);
  };
  const timer = setInterval(look, 1000 * liveSeconds);
}
