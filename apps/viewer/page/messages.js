// The binary messages; their layout is described in frame.rs and topology.rs.

import { readSolids } from "./solids.js";

const MAGIC = 0x544e4c50;
export const SAMPLE = ["time", "dt", "error", "kinetic", "elastic", "gravity", "cost", "rejected"];

export function decode(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 32 || view.getUint32(0, true) !== MAGIC) throw new Error("not a message of this viewer");
  return view.getUint8(4) === 1 ? frame(buffer, view) : topology(buffer, view);
}

function frame(buffer, view) {
  const number = (k) => view.getFloat64(16 + 8 * k, true);
  const count = view.getUint32(104, true);
  const samples = view.getUint32(108, true);
  const moving = view.getUint16(6, true);
  const places = 112 + 64 * samples;
  const poses = places + 13 * count;
  return {
    kind: "frame",
    generation: view.getUint32(8, true),
    sequence: view.getUint32(12, true),
    time: number(0),
    dt: number(1),
    error: number(2),
    tolerance: number(3),
    energy: { kinetic: number(4), elastic: number(5), gravity: number(6) },
    cost: number(7),
    fastest: number(8),
    steps: Number(view.getBigUint64(88, true)),
    rejected: Number(view.getBigUint64(96, true)),
    count,
    samples: new Float64Array(buffer.slice(112, places)),
    positions: new Float32Array(buffer, places, 3 * count),
    speeds: new Uint8Array(buffer, places + 12 * count, count),
    // A copy, because it need not begin at a multiple of four.
    poses: new Float32Array(buffer.slice(poses, poses + 48 * moving)),
  };
}

// Runs of a number of vertices and their colour, as four bytes for each vertex.
function paints(runs) {
  let count = 0;
  for (let k = 0; k < runs.length; k += 2) count += runs[k];
  const out = new Uint8Array(4 * count);
  let at = 0;
  for (let k = 0; k < runs.length; k += 2) {
    const [red, green, blue] = [16, 8, 0].map((shift) => (runs[k + 1] >> shift) & 255);
    for (let n = 0; n < runs[k]; n++, at += 4) out.set([red, green, blue, 255], at);
  }
  return out;
}

function topology(buffer, view) {
  const [stride, edges, triangles, pinned, ties, skin] = [12, 16, 20, 24, 28, 32].map((at) => view.getUint32(at, true));
  let at = 36;
  const take = (count, Kind = Uint32Array) => {
    const part = new Kind(buffer, at, count);
    at += 4 * count;
    return part;
  };
  return {
    kind: "topology",
    generation: view.getUint32(8, true),
    stride,
    edges: take(2 * edges),
    triangles: take(3 * triangles),
    pinned: take(pinned),
    tied: take(ties),
    places: take(3 * ties, Float32Array),
    skin: { count: skin, carriers: take(4 * skin), weights: take(3 * skin, Float32Array) },
    paints: paints(take(2 * take(1)[0])),
    solids: readSolids(take, () => buffer.byteLength - at),
  };
}
