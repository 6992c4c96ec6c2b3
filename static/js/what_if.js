// A what-if without new pages: a move that is tried, and a step along the lines, bring the parts of the page anew.
"use strict";
{
  const KEEP = ["#status", "#what-if"];
  const trouble = document.getElementById("trouble");
  let isAsking = false;

  const show = (text, address) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    if (!page.getElementById("what-if")) return location.assign(address); // another page, such as the one to sign in
    const before = travel.from(document.querySelector("#board .board > svg"));
    const open = [...document.querySelectorAll("#what-if details[id][open]")].map(({ id }) => id);
    for (const part of KEEP) document.querySelector(part).replaceWith(page.querySelector(part));
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    document.title = page.title;
    document.dispatchEvent(new Event("htmx:afterRequest")); // the board is there anew, for all who look after it
    document.dispatchEvent(new CustomEvent("htmx:load", { detail: { target: document.getElementById("what-if") } }));
    for (const current of document.querySelectorAll(".lines [aria-current]")) current.scrollIntoView({ block: "nearest" });
    setTimeout(() => travel.to(document.querySelector("#board .board > svg"), before));
  };
  const ask = async (address, options = {}) => {
    if (isAsking) return null;
    isAsking = true;
    trouble.hidden = true;
    const answer = await fetch(address, options).catch(() => null);
    isAsking = false;
    if (!answer || (!answer.ok && answer.status !== 422)) {
      trouble.hidden = false;
      return null;
    }
    show(await answer.text(), answer.url);
    return answer;
  };
  const go = async (address, options) => {
    const answer = await ask(address, options);
    if (answer?.ok && answer.url !== location.href) history.pushState(null, "", answer.url);
    return answer;
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!("inPlace" in form.dataset) || event.defaultPrevented) return;
    event.preventDefault();
    if (await go(form.action, { method: "post", body: new FormData(form, event.submitter) }))
      (document.getElementById("text-refusal") ? document.getElementById("text") : document.getElementById("move-title")).focus({ preventScroll: true });
  });
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("#what-if .lines a, #what-if .plies a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { key } = link.dataset;
    const address = link.getAttribute("href");
    if (!(await go(link.href))) return;
    const again = key ? `.plies [data-key=${key}]` : `.lines a[href="${address}"]`;
    document.querySelector(`#what-if ${again}`)?.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select, .on-board") || event.ctrlKey || event.metaKey || event.altKey) return;
    document.querySelector(`#what-if .plies a[href][data-key="${CSS.escape(event.key)}"]`)?.click();
  });
  addEventListener("popstate", () => ask(location.href));
}
