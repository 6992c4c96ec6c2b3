// Shows the page anew when it is out of date, in place if it is a list; if something is typed, it says so instead.
"use strict";
for (const notice of document.querySelectorAll("[data-live]")) {
  const link = notice.querySelector("a");
  const isTyping = () =>
    [...document.querySelectorAll("input:not([type=hidden]), textarea")].some((field) => field.value !== field.defaultValue) ||
    document.querySelector(".previewed, .refusal") !== null;
  const showInPlace = async () => {
    const answer = await fetch(link.href).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [shown, fresh] = [document, page].map((each) => each.querySelector("main"));
    const focused = shown.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    notice.dataset.now = page.querySelector("[data-live]").dataset.now;
    shown.replaceWith(fresh);
    [...fresh.querySelectorAll("a")].find((each) => each.getAttribute("href") === focused)?.focus({ preventScroll: true });
  };
  news.subscribe("page", (word) => {
    if (word === notice.dataset.now) return;
    if (isTyping()) notice.hidden = false;
    else if (notice.dataset.live === "list") showInPlace();
    else location.assign(link.href);
  });
}
