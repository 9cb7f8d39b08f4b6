// The page: what the server tells goes into the view, the plots and the controls; what the user does goes to the server.

import { Camera } from "./camera.js";
import { Changes } from "./changes.js";
import { Link } from "./link.js";
import { Parameters } from "./parameters.js";
import { Plots } from "./plots.js";
import { Pointer } from "./pointer.js";
import { Renderer, THEMES } from "./renderer.js";

const $ = (id) => document.getElementById(id);
const canvas = $("view");
const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 899px)");
const FINE = 5000;
const PLAY = "M4 2.5l9 5.5-9 5.5z";
const PAUSE = "M4 3h3v10H4zM9 3h3v10H9z";

const state = { scene: null, status: null, parameters: [], topology: null, frame: null, fresh: false, fitted: 0, received: 0, dirty: true };

function show(id, text) {
  $(id).hidden = !text;
  if (text) $(id).firstElementChild.textContent = text;
}

let renderer;
try {
  renderer = new Renderer(canvas);
} catch (error) {
  show("refusal", error.message);
  throw error;
}
const camera = new Camera();
const plots = new Plots($("plots"));
const changes = new Changes($("changes"));
const redraw = () => (state.dirty = true);
const send = (message) => link.send(message);
const parameters = new Parameters($("controls"), (path, value) => send({ type: "set", path, value }));
const pointer = new Pointer(canvas, { camera, renderer, send, redraw });

// ---- what the server tells

const link = new Link({
  state(name, text) {
    $("connection").dataset.state = name;
    $("connection").textContent = text;
    $("connection").title = text;
    if (name === "lost") pointer.release();
  },
  text(message) {
    const handle = { scene: onScene, parameters: onParameters, status: onStatus, refused: onRefused }[message.type];
    handle?.(message);
  },
  binary(message) {
    if (message.kind === "topology") {
      state.topology = message;
      state.fitted = 0;
      renderer.setTopology(message, state.scene?.shown ?? 0);
      // On cloth and on fine nets lines and particles only hide the surface, and take time.
      const cloth = message.triangles.length > 0 && message.edges.length === 0;
      const coarse = message.triangles.length === 0 || (!cloth && renderer.isPinned.length <= FINE);
      for (const key of ["points", "lines"]) $(`draw-${key}`).checked = renderer.options[key] = coarse;
      return;
    }
    state.received += 1;
    if (message.generation === state.topology?.generation) {
      if (state.frame && message.time < state.frame.time) plots.clear();
      plots.add(message.samples, message.tolerance);
      state.frame = message;
      state.fresh = true;
    } else {
      send({ type: "ack", sequence: message.sequence });
    }
  },
});

function onScene(scene) {
  state.scene = scene;
  renderer.setPalette(scene.palette);
  // A frame of the old scene is not drawn any more, but its place in the queue is given back.
  if (state.fresh) send({ type: "ack", sequence: state.frame.sequence });
  state.fresh = false;
  state.frame = null;
  plots.clear();
  document.title = `${scene.title} – Pliant`;
  $("scene").replaceChildren(
    ...scene.scenes.map(({ name, title }) => new Option(title || name, name, false, name === scene.name)),
  );
  $("description").textContent = scene.description;
  show("notes", scene.notes.join(" · "));
  show("refusal", "");
}

function onParameters(message) {
  state.parameters = message.parameters;
  parameters.update(message.parameters);
  changes.update(message);
}

function onStatus(status) {
  state.status = status;
  $("play").querySelector("path").setAttribute("d", status.playing && !status.ended ? PAUSE : PLAY);
  $("play").setAttribute("aria-label", status.playing && !status.ended ? "Pause" : "Play");
  if (document.activeElement !== $("speed")) $("speed").value = String(status.speed);
  if (document.activeElement !== $("at-end")) $("at-end").value = status.at_end;
  show("failure", status.error ?? "");
}

let refusalTimer = 0;
function onRefused({ message }) {
  show("refusal", message);
  parameters.restore(state.parameters);
  clearTimeout(refusalTimer);
  refusalTimer = setTimeout(() => show("refusal", ""), 9000);
}

// ---- the picture

function bounds() {
  const p = renderer.positions;
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let k = 0; k < p.length; k++) {
    const axis = k % 3;
    if (p[k] < low[axis]) low[axis] = p[k];
    if (p[k] > high[axis]) high[axis] = p[k];
  }
  renderer.solids.widen(low, high);
  return [low, high];
}

function size() {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    state.dirty = true;
  }
  [camera.width, camera.height] = [width, height];
  const covered = { left: 0, right: 0, top: 48, bottom: 48 };
  for (const [id, side] of [["plots", "left"], ["parameters", "right"], ["help", "right"]]) {
    if ($(id).hidden) continue;
    if (narrow.matches) covered.bottom = Math.max(covered.bottom, 48 + $(id).offsetHeight);
    else covered[side] = Math.max(covered[side], $(id).offsetWidth + 12);
  }
  camera.covered = covered;
}

// Around the first frame of a scene, with room below for what will fall.
function fitStart() {
  const [low, high] = bounds();
  const gravity = state.parameters.find(({ path }) => path === "world.gravity");
  const swings = renderer.rods.reach(renderer.positions, renderer.isPinned, gravity?.value[1] < 0, low, high);
  const extent = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) || 1;
  const flat = high[1] - low[1] < 0.3 * extent;
  const { floor } = renderer.solids;
  renderer.floor = Number.isFinite(floor) ? floor : low[1] - (flat ? 0.8 : 0.15) * extent;
  renderer.measure(low, high);
  // A motion in the plane of the view is seen from the front.
  const plane = swings && high[2] - low[2] < 0.01 * extent;
  [camera.yaw, camera.pitch] = plane ? [0.25, 0.14] : [0.6, 0.28];
  camera.fit([low[0], renderer.floor, low[2]], high);
}

function fit() {
  if (renderer.count === 0) return;
  camera.fit(...bounds());
  redraw();
}

const seconds = (value) => {
  const [scale, unit] = value >= 1e-3 ? [1e3, "ms"] : value >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  return `${(value * scale).toPrecision(3)} ${unit}`;
};
let plotted = 0;
let shownRate = 0;
let rateFrom = { at: performance.now(), drawn: 0 };

function numbers(now) {
  const { frame, scene } = state;
  if (!frame || !scene) return;
  if (now - rateFrom.at > 1000) {
    shownRate = Math.round(((renderer.drawn - rateFrom.drawn) * 1000) / (now - rateFrom.at));
    rateFrom = { at: now, drawn: renderer.drawn };
  }
  const time = document.createElement("b");
  time.textContent = `${frame.time.toFixed(3)} s`;
  const rest = [];
  if (!narrow.matches) {
    rest.push(` of ${scene.until} s`, ` · dt ${frame.dt > 0 ? seconds(frame.dt) : "–"}`, ` · ${frame.steps} steps, ${frame.rejected} rejected`);
    rest.push(` · ${scene.particles} particle${scene.particles === 1 ? "" : "s"}`, shownRate > 0 ? ` · ${shownRate} frames/s` : "");
  }
  $("numbers").replaceChildren(time, rest.join(""));
}

function tick(now) {
  requestAnimationFrame(tick);
  size();
  pointer.flush();
  if (state.fresh) {
    renderer.setFrame(state.frame);
    if (state.fitted !== state.frame.generation) {
      state.fitted = state.frame.generation;
      fitStart();
    }
    send({ type: "ack", sequence: state.frame.sequence });
    state.fresh = false;
    state.dirty = true;
  }
  if (state.dirty) {
    renderer.draw(camera);
    state.dirty = false;
    if (now - plotted > 80) {
      plotted = now;
      numbers(now);
      if (!$("plots").hidden) plots.draw();
    }
  }
}

// ---- what the user does

const playing = () => state.status?.playing && !state.status.ended;
const commands = {
  play: () => send({ type: playing() ? "pause" : "play" }),
  step: () => send({ type: "step" }),
  restart: () => send({ type: "restart" }),
  fit,
  picture: savePicture,
  help: () => toggle("help"),
};

function savePicture() {
  renderer.draw(camera);
  canvas.toBlob((blob) => {
    const anchor = document.createElement("a");
    anchor.href = URL.createObjectURL(blob);
    anchor.download = `${state.scene?.name ?? "pliant"}-${(state.frame?.time ?? 0).toFixed(3)}s.png`;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
  });
}

function toggle(id, open = $(id).hidden) {
  // On a phone one panel at a time.
  if (open && narrow.matches) for (const other of ["plots", "parameters", "help"]) if (other !== id) toggle(other, false);
  $(id).hidden = !open;
  $(`show-${id}`).setAttribute("aria-expanded", String(open));
  size();
  redraw();
}

for (const id of ["play", "step", "restart", "fit", "picture"]) $(id).addEventListener("click", commands[id]);
for (const id of ["plots", "parameters", "help"]) $(`show-${id}`).addEventListener("click", () => toggle(id));
for (const name of ["refusal", "notes"]) $(`${name}-close`).addEventListener("click", () => show(name, ""));
$("failure-restart").addEventListener("click", commands.restart);
$("reset").addEventListener("click", () => send({ type: "reset" }));
$("scene").addEventListener("change", ({ target }) => send({ type: "scene", name: target.value }));
$("speed").addEventListener("change", ({ target }) => send({ type: "speed", factor: Number(target.value) }));
$("at-end").addEventListener("change", ({ target }) => send({ type: "at-end", then: target.value }));
for (const key of ["surface", "lines", "points", "speed", "grid"]) {
  $(`draw-${key}`).addEventListener("change", ({ target }) => {
    renderer.options[key] = target.checked;
    redraw();
  });
}

const TURNS = { ArrowLeft: [-0.06, 0], ArrowRight: [0.06, 0], ArrowUp: [0, 0.05], ArrowDown: [0, -0.05] };
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.matches?.("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape") {
    if (inField) event.target.blur();
    else toggle("help", false);
    return;
  }
  if (inField || (event.key === " " && event.target.matches?.("button, summary, input"))) return;
  const command = { " ": "play", ".": "step", r: "restart", f: "fit", h: "help", "?": "help", p: "picture" }[event.key.toLowerCase()];
  if (command) {
    commands[command]();
  } else if (TURNS[event.key] && (event.target === canvas || event.target === document.body)) {
    camera.turn(...TURNS[event.key]);
  } else if (event.key === "+" || event.key === "=") {
    camera.zoom(0.9);
  } else if (event.key === "-") {
    camera.zoom(1 / 0.9);
  } else {
    return;
  }
  event.preventDefault();
  redraw();
});

function theme() {
  renderer.theme = dark.matches ? THEMES.dark : THEMES.light;
  redraw();
  plots.draw();
}
dark.addEventListener("change", theme);
narrow.addEventListener("change", () => arrange());
function arrange() {
  for (const id of ["plots", "parameters"]) toggle(id, !narrow.matches);
}
canvas.addEventListener("webglcontextlost", () => location.reload());
theme();
arrange();
requestAnimationFrame(tick);

// For tests and for the curious.
window.pliant = { state, camera, renderer, plots, link, send, pointer };
