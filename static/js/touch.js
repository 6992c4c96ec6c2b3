// A move made by touching the board. The page brings the ways to go on as a tree; this only narrows them, as places are
// touched, and knows no rules. The same tree makes the buttons beside the board, so the two are always in step.
"use strict";
{
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_QUICK = 6; // choices of several touches that are buttons in the move bar too
  const FINGER = 10; // pixels that a finger moves before it drags

  let planted = null; // the part of the page from which the tree was read
  let tree = null; // the tree of the move that is asked for
  let state = null; // what has been chosen: see `begin`
  let past = []; // the states before, for the step to undo
  let drag = null; // the place from which a finger drags, or dragged last
  let asking = false;

  // --- The tree ---

  // Adds a part as the server sends it. Each node gets `origin`, the button from which its touches count, and `path`,
  // all touches since, in order; each touch is known by its first box.
  const grow = (part) => {
    const keys = part.touches.map((boxes) => {
      const key = boxes[0].slice(0, 4).join(" ");
      tree.places.set(key, boxes);
      return key;
    });
    const nodes = [];
    const begun = part.beginnings.map((text) => tree.nodes.get(text));
    for (const node of begun) node.more = false;
    for (const [before, text, label, complete, more, touches, laid] of part.nodes) {
      const parent = before < 0 ? begun[-1 - before] : nodes[before];
      const own = touches && touches.map((number) => keys[number]);
      const known = tree.nodes.get(text);
      const node = known || { text, label, laid, parent, own, complete: Boolean(complete), more: true, children: [] };
      if (!known) {
        node.origin = own ? parent.origin : node;
        node.path = own ? [...parent.path, ...own] : [];
        parent.children.push(node);
        tree.nodes.set(text, node);
      }
      node.more = node.more && Boolean(more);
      nodes.push(node);
    }
  };
  const plant = (part) => {
    const root = { text: "", label: "", laid: [], parent: null, own: [], complete: false, more: true, children: [], path: [] };
    root.origin = root;
    tree = { root, nodes: new Map([["", root]]), places: new Map() };
    grow(part);
  };

  // --- Narrowing ---

  // What is left of `whole` when each of `some` is taken out once; null if one of them is not in it.
  const without = (whole, some) => {
    const left = [...whole];
    for (const one of some) {
      const place = left.indexOf(one);
      if (place < 0) return null;
      left.splice(place, 1);
    }
    return left;
  };
  const isSame = (one, other) => one.length === other.length && one.every((key, place) => key === other[place]);
  const within = (origin) => [...tree.nodes.values()].filter((node) => node.origin === origin);

  // The choices that these touches make: more than one if a piece can be turned. Touched in their order first.
  const findMade = (origin, touched) => {
    const all = within(origin).filter((node) => node.path.length === touched.length && without(node.path, touched));
    const inOrder = all.filter((node) => isSame(node.path, touched));
    const found = inOrder.length ? inOrder : all;
    return found.filter((node) => !node.children.some((child) => found.includes(child)));
  };
  // The places that can be touched next, each with the choices to which that leads.
  const findNext = (origin, touched) => {
    const next = new Map();
    const add = (key, node) => (next.has(key) ? next.get(key).push(node) : next.set(key, [node]));
    for (const node of within(origin)) {
      if (node.path.length <= touched.length) continue;
      const rest = without(node.path, touched);
      if (!rest) continue;
      const before = without(touched, node.parent.path);
      const own = before && without(node.own, before);
      for (const key of new Set([...(own || []), ...(rest.length === 1 ? rest : [])])) add(key, node);
    }
    return next;
  };

  const listSteps = (node) => (node === tree.root ? [] : [...listSteps(node.parent), node]); // the first one first
  const isBefore = (node, later) => Boolean(later) && (node === later || isBefore(node, later.parent));

  // `way` is the choice that was shown: of several that the touches make, it goes on in the same way.
  // `paying` is the choice whose payment is proposed, `pinned` the pieces of it that were touched since.
  const begin = (origin = tree.root) => ({ origin, touched: [], way: null, paying: null, pinned: new Map() });
  const pick = ({ origin, touched, way }) => {
    const made = findMade(origin, touched);
    return made.find((node) => node === way) || made.find((node) => way && isBefore(way, node)) || made[0] || null;
  };
  const shown = () => pick(state);
  const isBegun = () => state.origin !== tree.root || state.touched.length > 0;

  // The state in which the piece is turned once more; null if it lies in one way only.
  const turnOn = (now) => {
    const made = findMade(now.origin, now.touched);
    return made.length > 1 ? { ...now, way: made[(made.indexOf(pick(now)) + 1) % made.length] } : null;
  };
  const liesAt = (node, key) => node.laid.some(([, at]) => at.slice(0, 4).join(" ") === key);

  // How the rest is paid is proposed; where a piece lies, only the player decides. What is touched of the proposal goes
  // in or out, and the first payment that agrees with all such touches is proposed instead.
  const payWith = (now, node, pinned) => {
    const agrees = ({ own }) => [...pinned].every(([key, isPaid]) => own.includes(key) === isPaid);
    const way = node.children.find(agrees);
    return way ? { origin: now.origin, touched: [...node.path, ...way.own], way, paying: node, pinned } : null;
  };
  const canPay = (now, key) => Boolean(now.paying?.children.some(({ own }) => own.includes(key)));
  const repay = (now, key) => {
    if (!canPay(now, key)) return null;
    const isPaid = !now.touched.slice(now.paying.path.length).includes(key);
    const pins = [...now.pinned].filter(([pinned]) => pinned !== key);
    for (const kept of [pins, []]) {
      const paid = payWith(now, now.paying, new Map([...kept, [key, isPaid]]));
      if (paid) return paid;
    }
    return null;
  };

  // The state after one more touch; null if the place means nothing now.
  const touchOn = (now, key) => {
    const paid = repay(now, key);
    if (paid) return paid;
    const { origin, touched } = now;
    const way = pick(now) || now.way; // half made, it still lies as it was turned
    if (findNext(origin, touched).has(key)) return { ...begin(origin), touched: [...touched, key], way };
    if (touched.includes(key)) {
      const upTo = touched.slice(0, touched.lastIndexOf(key) + 1);
      const isLaid = findMade(origin, upTo).some((node) => liesAt(node, key));
      if (isLaid || upTo.length === touched.length) {
        const before = findMade(origin, upTo).find((node) => isBefore(node, way)) || null;
        const turned = turnOn(now) || turnOn({ ...begin(origin), touched: upTo, way: before });
        if (turned) return turned;
      }
      const fewer = without(touched, [key]);
      const isChoice = !fewer.length || findMade(origin, fewer).length > 0;
      return { ...begin(origin), touched: isChoice ? fewer : touched.slice(0, touched.indexOf(key)) };
    }
    for (let length = touched.length - 1; length >= 0; length--) {
      const kept = touched.slice(0, length);
      if (findNext(origin, kept).has(key)) return { ...begin(origin), touched: [...kept, key] };
    }
    return null;
  };
  const propose = (now, node) => {
    const isPayment = node.children.length > 0 && node.children.every((child) => child.complete && child.own && !child.laid.length);
    return isPayment && !node.complete ? payWith(now, node, new Map()) : now;
  };
  // True if a piece that is touched here can be taken on from here, to a place or with others.
  const goesOn = (choices, key) =>
    choices.some((node) => node.more || node.own.length > 1 || node.children.some((child) => child.own && !child.own.includes(key)));
  // A step that has one way only is taken by itself.
  const goOn = (from) => {
    for (let now = from; ; ) {
      const next = findNext(now.origin, now.touched);
      const made = findMade(now.origin, now.touched);
      const isOpen = made.some((node) => node.complete || node.more || node.children.some((child) => !child.own));
      if (!isOpen && next.size > 1 && made.length === 1) return propose(now, made[0]);
      if (isOpen || next.size !== 1) return now;
      now = { ...now, touched: [...now.touched, ...next.keys()], way: pick(now) || now.way };
    }
  };

  const enter = (next) => {
    if (!next) return;
    past.push(state);
    state = next;
    document.getElementById("change")?.setAttribute("open", ""); // what was sealed is being changed
    render();
  };
  const touch = (key) => {
    const next = touchOn(state, key);
    enter(next && (next.touched.length > state.touched.length ? goOn(next) : next));
  };
  const turn = () => enter(turnOn(state));
  const choose = (node) => {
    const next = { ...begin(node.origin), touched: node.path, way: node };
    enter(node.own ? goOn(next) : begin(node));
  };
  const stepBack = () => {
    if (!past.length) return;
    state = past.pop();
    render();
  };
  const forget = () => {
    past = [];
    state = begin();
    render();
  };
  const startOver = () => {
    document.getElementById("text").value = "";
    forget();
  };

  // --- What is fetched ahead ---

  // A place that was drawn anew under a finger would not be clicked when the finger is lifted.
  const untilNotPressed = async () => {
    while (document.querySelector("#board .on-board a:active")) await new Promise((resolve) => setTimeout(resolve, 50));
  };

  const fetchAhead = async () => {
    const move = document.getElementById("move");
    const now = shown();
    const near = now ? [now, ...now.children, ...findMade(state.origin, state.touched)] : within(state.origin);
    const wanted = [...new Set([...near, ...(isBegun() ? [] : tree.nodes.values())])].filter((node) => node.more).slice(0, 20);
    if (asking || !wanted.length) return;
    asking = true;
    const query = new URLSearchParams(wanted.map((node) => ["from", node.text]));
    query.append("prompt", move.dataset.prompt);
    const asked = tree;
    const answer = await fetch(`${move.dataset.moves}?${query}`).catch(() => null);
    const answered = answer?.status === 200 ? await answer.json().catch(() => null) : null;
    await untilNotPressed(); // last, as the finger may come down while an answer is read
    asking = false;
    if (tree !== asked) return;
    if (!answered) {
      for (const node of wanted) node.more = false; // what is there can be played; the rest can be written
      return;
    }
    const before = shown();
    grow(answered);
    if (isBegun() && before === shown()) state = goOn(state);
    render();
  };

  // --- Showing it ---

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const boxAttributes = ([x, y, width, height]) => ({ x, y, width, height });
  const board = () => document.querySelector("#board .board > svg");

  // The piece that lies in this box of the picture once more, somewhere else; without pieces, all that is drawn there.
  const copyOf = (of, at, turn) => {
    const [left, top, width, height] = of;
    const isIn = ({ x, y, width: wide, height: high }) =>
      Math.abs(x + wide / 2 - left - width / 2) < width / 2 && Math.abs(y + high / 2 - top - height / 2) < height / 2;
    const toBoard = board().getScreenCTM().inverse();
    const middle = (piece) => {
      const box = piece.getBoundingClientRect();
      const { x, y } = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(toBoard);
      return { x, y, width: 0, height: 0 };
    };
    const pieces = [...board().querySelectorAll("[data-piece]")].filter((piece) => isIn(middle(piece)));
    const drawn = pieces.length ? pieces.slice(0, 1) : [...board().children];
    const copy = element("svg", { viewBox: of.slice(0, 4).join(" "), ...boxAttributes(at) }, ...drawn.map((one) => one.cloneNode(true)));
    for (const one of copy.querySelectorAll("[id]")) one.removeAttribute("id");
    for (const one of copy.querySelectorAll("[data-piece]")) one.removeAttribute("data-piece");
    const about = `${at[0] + at[2] / 2} ${at[1] + at[3] / 2}`;
    return element("g", { class: "laid", transform: `rotate(${turn} ${about})`, "aria-hidden": "true" }, copy);
  };

  const drawPlace = (over, key, kind, choices = []) => {
    const boxes = tree.places.get(key);
    const label = [...new Set(choices.map((node) => node.label))].slice(0, 3).join(" / ");
    const place = element("a", { href: "#move", class: kind, "data-place": key, role: "button", "aria-label": label });
    if (kind === "chosen") place.setAttribute("aria-pressed", "true");
    place.append(element("title", {}, label));
    if (kind === "other" && !canPay(state, key)) place.setAttribute("tabindex", "-1");
    if (kind !== "other" && !boxes[0][5] && goesOn(choices, key)) place.classList.add("carries");
    place.addEventListener("touchmove", (event) => drag && event.preventDefault(), { passive: false });
    for (const box of boxes) {
      place.append(element("rect", { ...boxAttributes(box), rx: 6 }));
      if (!box[4]) continue;
      const mark = element("text", { x: "50%", y: "50%", dy: "0.35em", "text-anchor": "middle" }, box[4]);
      place.append(element("svg", { ...boxAttributes(box), "aria-hidden": "true" }, mark));
    }
    boardZoom.layerIn(over, boxes[0]).append(place);
  };

  const drawOnBoard = () => {
    const picture = board();
    const old = document.querySelector("#board .on-board");
    const focused = old?.querySelector("a:focus")?.dataset.place;
    const label = document.getElementById("move").dataset.onBoard;
    const over = element("svg", { class: "on-board", viewBox: picture.getAttribute("viewBox"), role: "group", "aria-label": label });
    const next = findNext(state.origin, state.touched);
    const others = new Map(); // what can be touched instead
    for (let length = state.touched.length - 1; length >= 0; length--)
      for (const [key, choices] of findNext(state.origin, state.touched.slice(0, length))) others.set(key, choices);
    const chosen = new Set(state.touched);
    const node = shown();
    const laid = new Map();
    for (let one = node; one; one = one.parent)
      for (const piece of one.laid) if (!laid.has(`${piece[0]}`)) laid.set(`${piece[0]}`, piece);
    for (const [key, choices] of others) if (!next.has(key) && !chosen.has(key)) drawPlace(over, key, "other", choices);
    for (const piece of laid.values()) boardZoom.layerIn(over, piece[1]).append(copyOf(...piece));
    const made = listSteps(node || findFurthest()).reverse();
    for (const key of chosen) drawPlace(over, key, "chosen", made.filter((one) => one.own?.includes(key)));
    for (const [key, choices] of next) if (!chosen.has(key)) drawPlace(over, key, "next", choices);
    if (old) old.replaceWith(over);
    else picture.after(over);
    boardZoom.reveal([...next.keys()].flatMap((key) => tree.places.get(key)).filter((box) => box[5]));
    return focused;
  };

  // The choices of the tree that the buttons show: other ways to lay the piece, and what can follow.
  const listButtons = () => {
    const node = shown();
    const made = findMade(state.origin, state.touched);
    return [...(made.length > 1 ? made : []), ...(node || state.origin).children];
  };

  const chip = ({ label, text }) =>
    Object.assign(document.createElement("button"), { type: "button", className: "chip", textContent: label, value: text });

  const drawButtons = () => {
    const move = document.getElementById("move");
    const area = move.querySelector(".choices fieldset");
    const node = shown();
    const focused = area?.contains(document.activeElement);
    if (area) {
      for (const old of area.querySelectorAll("button")) old.remove();
      for (const choice of listButtons()) {
        const button = chip(choice);
        if (choice === node) button.setAttribute("aria-pressed", "true");
        area.append(button, " ");
      }
      area.closest("form").hidden = !area.querySelector("button");
    }
    const bar = document.getElementById("move-bar");
    const quick = bar.querySelector(".quick");
    const after = node && node !== state.origin ? node.children : [];
    const long = after.filter((choice) => choice.own?.length > 1);
    const isQuick = (choice) => !choice.own || (long.length <= MOST_QUICK && long.includes(choice));
    quick.replaceChildren(...[...state.origin.children, ...after].filter(isQuick).map(chip));
    quick.hidden = !quick.childElementCount;
    return focused;
  };

  const drawBar = () => {
    const move = document.getElementById("move");
    const bar = document.getElementById("move-bar");
    const node = shown();
    const built = bar.querySelector(".built");
    const said = node || findFurthest();
    const steps = listSteps(said);
    built.replaceChildren(...steps.map(({ label }) => Object.assign(document.createElement("li"), { textContent: label })));
    built.hidden = !steps.length;
    bar.querySelector(".hint").hidden = steps.length > 0;
    document.getElementById("so-far")?.remove();
    const text = document.getElementById("text");
    if (said !== tree.root || past.length) text.value = said.text; // what is written by hand stays
    bar.querySelector("[data-do=back]").hidden = !past.length;
    bar.querySelector("[data-do=turn]").hidden = findMade(state.origin, state.touched).length < 2;
    for (const button of bar.querySelectorAll("[name=play], [name=preview]")) button.disabled = isBegun() && !(node && node.complete);
    if (isBegun()) move.dataset.building = "";
    else delete move.dataset.building;
  };
  // The last choice that all its touches have made, where a later one is half made.
  const findFurthest = () => {
    const reached = within(state.origin).filter((node) => node !== state.origin && without(state.touched, node.path));
    return reached.sort((one, other) => other.path.length - one.path.length)[0] || state.origin;
  };

  const render = () => {
    const focused = drawOnBoard();
    const wasButton = drawButtons();
    drawBar();
    if (focused !== undefined) focusOn(focused);
    else if (wasButton) (document.querySelector("#move .choices button") || document.querySelector("#move-bar .primary")).focus({ preventScroll: true });
    fetchAhead();
  };
  // Whoever chose with the keyboard goes on from there.
  const focusOn = (key) => {
    const places = [...document.querySelectorAll("#board .on-board a.next")];
    const again = places.find((place) => place.dataset.place === key);
    (again || places[0] || document.querySelector("#move-bar [name=play]"))?.focus({ preventScroll: true });
  };

  // --- Taking over from the page ---

  const start = () => {
    const part = document.getElementById("moves");
    if (part && part === planted) return; // other parts of the page are new
    planted = part;
    tree = null;
    if (!part || !board()) return;
    plant(JSON.parse(part.content.textContent));
    past = [];
    state = begin();
    boardZoom.begin(board(), [...tree.places.values()].flat().filter((box) => box[5]));
    const begun = tree.nodes.get(part.dataset.begun);
    if (begun && begun !== tree.root) choose(begun);
    else render();
  };

  document.addEventListener("click", (event) => {
    if (!tree) return;
    const place = event.target.closest("#board .on-board a");
    const button = event.target.closest("#move .choices button, #move-bar button");
    if (place) {
      event.preventDefault();
      if (!drag || event.detail === 0) touch(place.dataset.place); // not the click that ends a drag
    } else if (button?.dataset.do === "back") {
      event.preventDefault();
      stepBack();
    } else if (button?.dataset.do === "turn") turn();
    else if (button?.dataset.do === "over") {
      event.preventDefault();
      startOver();
    } else if (button?.classList.contains("chip")) {
      event.preventDefault();
      choose(tree.nodes.get(button.value));
    }
  });
  document.addEventListener("input", (event) => {
    if (!tree || event.target.id !== "text") return;
    forget(); // what is written by hand is not narrowed
  });
  document.addEventListener("keydown", (event) => {
    if (!tree || event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "r") turn();
    else if (event.key === "Backspace") stepBack();
    else if (event.key === "Escape" && isBegun()) startOver();
    else if (event.key === " " && event.target.closest(".on-board a")) touch(event.target.closest("a").dataset.place);
    else return;
    event.preventDefault();
  });

  // --- Dragging: a piece to its place, or along a row of pieces, of which each is taken ---

  document.addEventListener("dragstart", (event) => event.target.closest?.("#board .on-board") && event.preventDefault());
  const placeUnder = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest?.("#board .on-board a.next");
  const markUnder = (place) => {
    for (const old of document.querySelectorAll("#board .on-board a.under")) if (old !== place) old.classList.remove("under");
    place?.classList.add("under");
  };
  // The next places in the row of this one that the finger has passed since it came down at `from`.
  const listPassed = (box, from, event) =>
    [...document.querySelectorAll("#board .on-board a.next")]
      .filter(({ dataset }) => tree.places.get(dataset.place).some(([, y, , height]) => y === box[1] && height === box[3]))
      .filter((place) => {
        const { left, right, top, bottom } = place.querySelector("rect").getBoundingClientRect();
        const isOver = event.clientY > top && event.clientY < bottom;
        return isOver && (left > from.x ? event.clientX > left : right < from.x && event.clientX < right);
      })
      .map(({ dataset }) => dataset.place);

  document.addEventListener("pointerdown", (event) => {
    if (event.isPrimary) drag = null;
    const place = tree && event.isPrimary && event.button === 0 && event.target.closest("#board .on-board a");
    if (!place) return;
    const key = place.dataset.place;
    const boxes = tree.places.get(key);
    const box = boxes[[...place.querySelectorAll("rect")].indexOf(event.target)] || boxes[0];
    if (box[5]) return; // there a finger moves the board
    const from = { x: event.clientX, y: event.clientY };
    let carried = null;
    let hasPassed = false;
    const move = (moved) => {
      if (!drag && Math.hypot(moved.clientX - from.x, moved.clientY - from.y) < FINGER) return;
      moved.preventDefault();
      if (!drag) {
        if (!state.touched.includes(key)) touch(key);
        drag = key;
        carried = copyOf(box, box, 0);
        carried.classList.add("carried");
      }
      for (const passed of listPassed(box, from, moved)) {
        hasPassed = true;
        touch(passed);
      }
      if (hasPassed) return carried.remove();
      const over = document.querySelector("#board .on-board");
      if (!carried.isConnected) over.append(carried);
      const scale = over.viewBox.baseVal.width / over.getBoundingClientRect().width;
      carried.setAttribute("transform", `translate(${(moved.clientX - from.x) * scale} ${(moved.clientY - from.y) * scale})`);
      markUnder(placeUnder(moved));
    };
    const drop = (dropped) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", drop);
      document.removeEventListener("pointercancel", drop);
      if (!drag) return;
      carried.remove();
      markUnder(null);
      const target = dropped.type === "pointerup" && !hasPassed ? placeUnder(dropped)?.dataset.place : null;
      if (target && target !== key) touch(target);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", drop);
    document.addEventListener("pointercancel", drop);
  });

  document.addEventListener("htmx:afterRequest", () => setTimeout(start));
  start();
}
