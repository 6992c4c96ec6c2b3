// A quiet sound when a move has come in, for whoever switches it on; kept in this browser.
"use strict";
{
  const KEY = "sound";
  const button = document.getElementById("sound");
  const isOn = () => localStorage.getItem(KEY) === "on";
  const show = () => button.setAttribute("aria-pressed", isOn());
  const play = () => {
    const context = new AudioContext();
    const volume = new GainNode(context, { gain: 0.04 });
    volume.connect(context.destination);
    for (const [place, pitch] of [523, 659].entries()) {
      const tone = new OscillatorNode(context, { type: "triangle", frequency: pitch });
      tone.connect(volume);
      tone.start(context.currentTime + place * 0.11);
      tone.stop(context.currentTime + place * 0.11 + 0.1);
    }
    setTimeout(() => context.close(), 600);
  };
  let stands = document.getElementById("board").dataset.stands;
  document.addEventListener("htmx:afterRequest", () =>
    setTimeout(() => {
      const now = document.getElementById("board").dataset.stands;
      if (now !== stands && isLook && isOn()) play(); // `isLook` of match.js: it is news
      stands = now;
    }),
  );
  button.hidden = false;
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    show();
    if (isOn()) play();
  });
  show();
}
