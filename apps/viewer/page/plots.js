// Four small plots over simulated time: time step, error with its tolerance, energies, cost.

import { SAMPLE } from "./messages.js";

const KEPT = 6000;
const WINDOW = 6;
const PLOTS = {
  dt: { log: true, series: [["dt", "--plot-a", ""]] },
  error: { log: true, series: [["error", "--plot-a", ""]], limit: true, none: "these steps are not judged" },
  energy: { log: false, series: [["kinetic", "--plot-b", "kinetic"], ["elastic", "--plot-c", "elastic"], ["gravity", "--plot-d", "gravity"], ["total", "--plot-a", "total"]] },
  cost: { log: true, series: [["cost", "--plot-a", ""]] },
};

const short = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 0.01 && size < 10000) return String(Number(value.toPrecision(3)));
  return value.toExponential(size < 1e-99 || size >= 1e99 ? 0 : 1).replace(".0e", "e");
};

export class Plots {
  #columns = Object.fromEntries([...SAMPLE, "total"].map((name) => [name, []]));
  tolerance = NaN;

  constructor(root) {
    this.canvases = [...root.querySelectorAll("canvas[data-plot]")];
  }

  // For tests: when steps ended, and how long they were.
  get steps() {
    const { time, dt } = this.#columns;
    return { time: [...time], dt: [...dt] };
  }

  clear() {
    for (const column of Object.values(this.#columns)) column.length = 0;
  }

  // `samples`: rows of eight numbers.
  add(samples, tolerance) {
    this.tolerance = tolerance;
    const columns = this.#columns;
    for (let at = 0; at < samples.length; at += SAMPLE.length) {
      // After a lost connection steps that are known come again.
      if (samples[at] <= columns.time.at(-1)) continue;
      SAMPLE.forEach((name, k) => columns[name].push(samples[at + k]));
      columns.total.push(samples[at + 3] + samples[at + 4] + samples[at + 5]);
    }
    if (columns.time.length > 1.25 * KEPT) {
      for (const column of Object.values(columns)) column.splice(0, column.length - KEPT);
    }
  }

  draw() {
    const style = getComputedStyle(document.documentElement);
    for (const canvas of this.canvases) this.#plot(canvas, PLOTS[canvas.dataset.plot], (name) => style.getPropertyValue(name));
  }

  #plot(canvas, { log, series, limit, none }, colour) {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "10px system-ui, sans-serif";
    const time = this.#columns.time;
    const end = time.at(-1) ?? 0;
    const start = Math.max(0, end - WINDOW);
    let first = time.findIndex((t) => t >= start);
    if (first < 0) first = time.length;
    const bound = limit && Number.isFinite(this.tolerance) ? this.tolerance : NaN;
    const [low, high] = this.#range(series, first, log, bound);
    const [left, right, top, bottom] = [44, width - 4, 5, height - 13];
    const by = log ? Math.log10 : (value) => value;
    const x = (t) => left + ((t - start) / Math.max(end - start, 1e-9)) * (right - left);
    const y = (value) => bottom - ((by(value) - by(low)) / (by(high) - by(low))) * (bottom - top);
    const silent = none && first < time.length && series.every(([name]) => !this.#columns[name].slice(first).some(Number.isFinite));
    if (silent || first >= time.length) {
      pen.fillStyle = colour("--soft");
      pen.textAlign = "center";
      pen.fillText(silent ? none : "no steps yet", (left + right) / 2, (top + bottom) / 2);
      return;
    }
    this.#axes(pen, { low, high, log, left, right, top, bottom, start, end, y, colour });
    series.forEach(([name, ink, label], k) => {
      this.#line(pen, this.#columns[name], first, x, y, log, colour(ink));
      if (label) {
        pen.fillStyle = colour(ink);
        pen.textAlign = "left";
        pen.fillText(label, left + 4 + k * 46, top + 8);
      }
    });
    if (Number.isFinite(bound)) {
      pen.strokeStyle = pen.fillStyle = colour("--plot-limit");
      pen.setLineDash([5, 3]);
      pen.beginPath();
      pen.moveTo(left, y(bound));
      pen.lineTo(right, y(bound));
      pen.stroke();
      pen.setLineDash([]);
      pen.textAlign = "right";
      pen.strokeStyle = colour("--field");
      pen.lineWidth = 3;
      const at = y(bound) > top + 12 ? y(bound) - 4 : y(bound) + 11;
      pen.strokeText("tolerance", right, at);
      pen.fillText("tolerance", right, at);
    }
  }

  #range(series, first, log, bound) {
    let [low, high] = [Infinity, -Infinity];
    const see = (value) => {
      if (!Number.isFinite(value) || (log && value <= 0)) return;
      low = Math.min(low, value);
      high = Math.max(high, value);
    };
    for (const [name] of series) {
      const column = this.#columns[name];
      for (let k = first; k < column.length; k++) see(column[k]);
    }
    see(bound);
    if (low > high) return log ? [1e-3, 1] : [0, 1];
    if (log) {
      // Steps without any error would push all others into one line.
      [low, high] = [Math.max(low, high / 1e5) / 1.3, high * 1.3];
      return high / low < 10 ? [low / 2, high * 2] : [low, high];
    }
    const margin = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1;
    return [low - margin, high + margin * 2.5];
  }

  #axes(pen, { low, high, log, left, right, top, bottom, start, end, y, colour }) {
    pen.strokeStyle = colour("--plot-grid");
    pen.fillStyle = colour("--soft");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    let last = Infinity;
    for (const value of log ? decades(low, high) : ticks(low, high)) {
      const at = Math.round(y(value)) + 0.5;
      if (last - at < 11) continue;
      last = at;
      pen.beginPath();
      pen.moveTo(left, at);
      pen.lineTo(right, at);
      pen.stroke();
      if (at > top + 2) pen.fillText(short(value), left - 4, at + 3);
    }
    pen.textAlign = "left";
    pen.fillText(`${short(start)} s`, left, bottom + 11);
    pen.textAlign = "right";
    pen.fillText(`${end.toFixed(2)} s`, right, bottom + 11);
  }

  // Many samples a pixel: the span of each pixel column, so that no peak is lost.
  #line(pen, column, first, x, y, log, ink) {
    const time = this.#columns.time;
    pen.save();
    pen.beginPath();
    pen.rect(0, 0, pen.canvas.clientWidth, pen.canvas.clientHeight - 12);
    pen.clip();
    pen.strokeStyle = ink;
    pen.lineWidth = 1.3;
    pen.lineJoin = "round";
    pen.beginPath();
    let [pixel, low, high, open] = [NaN, 0, 0, false];
    const flush = () => {
      if (Number.isNaN(pixel)) return;
      if (open) pen.lineTo(pixel, y(low));
      else pen.moveTo(pixel, y(low));
      if (high !== low) pen.lineTo(pixel, y(high));
      open = true;
    };
    for (let k = first; k < column.length; k++) {
      const value = column[k];
      if (!Number.isFinite(value) || (log && value <= 0)) continue;
      const at = Math.round(x(time[k]) * 2) / 2;
      // Steps that never arrived leave a gap, not a line.
      if (at - pixel > 8 && time[k] - time[k - 1] > 8 * this.#columns.dt[k]) {
        flush();
        [pixel, open] = [NaN, false];
      }
      if (at !== pixel) {
        flush();
        [pixel, low, high] = [at, value, value];
      } else {
        [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
    flush();
    pen.stroke();
    pen.restore();
  }
}

function decades(low, high) {
  const out = [];
  for (let k = Math.ceil(Math.log10(low) - 1e-9); 10 ** k <= high * 1.0001; k++) out.push(10 ** k);
  return out.length > 1 ? out : [...out, ...[2, 5].map((m) => m * 10 ** Math.floor(Math.log10(low)))].filter((v) => v >= low && v <= high).sort((a, b) => a - b);
}

function ticks(low, high) {
  const raw = (high - low) / 3;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((s) => s >= raw);
  const out = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) out.push(Number((k * step).toPrecision(12)));
  return out;
}
