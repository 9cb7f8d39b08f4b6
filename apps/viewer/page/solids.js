// Colliders: surfaces that are fixed or move rigidly; their layout is described in scenery.rs.

const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
// Larger than this many times the bodies, a collider is scenery and not framed as a whole.
const LARGEST = 3;

export function readSolids(take, left) {
  if (left() === 0) return { floor: NaN, list: [] };
  const [count] = take(1);
  const [floor] = take(1, Float32Array);
  const list = [];
  for (let k = 0; k < count; k++) {
    const [vertices, triangles, slot, isPlane] = take(4);
    const places = take(3 * vertices, Float32Array);
    const normals = take(3 * vertices, Float32Array);
    list.push({ slot, isPlane: isPlane === 1, places, normals, triangles: take(3 * triangles) });
  }
  return { floor, list };
}

export class Solids {
  floor = NaN;
  list = [];
  #gl;

  constructor(gl) {
    this.#gl = gl;
  }

  set({ floor, list }) {
    const gl = this.#gl;
    for (const { buffers } of this.list) Object.values(buffers).forEach((buffer) => gl.deleteBuffer(buffer));
    const upload = (target, data) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, data, gl.STATIC_DRAW);
      return buffer;
    };
    this.floor = floor;
    this.list = list.map((solid) => ({
      ...solid,
      pose: IDENTITY,
      box: box(solid.places),
      buffers: {
        place: upload(gl.ARRAY_BUFFER, solid.places),
        normal: upload(gl.ARRAY_BUFFER, solid.normals),
        triangles: upload(gl.ELEMENT_ARRAY_BUFFER, solid.triangles),
      },
    }));
  }

  // Twelve numbers for each that moves: axes and origin.
  move(poses) {
    for (const solid of this.list) {
      if (solid.slot === 0 || 12 * solid.slot > poses.length) continue;
      const p = poses.subarray(12 * (solid.slot - 1), 12 * solid.slot);
      solid.pose = new Float32Array([p[0], p[1], p[2], 0, p[3], p[4], p[5], 0, p[6], p[7], p[8], 0, p[9], p[10], p[11], 1]);
    }
  }

  // Widens a box around bodies by the colliders that are not much larger than it.
  widen(low, high) {
    const size = Math.hypot(...high.map((value, k) => value - low[k]));
    for (const { isPlane, box: [from, to], pose } of this.list) {
      if (isPlane || Math.hypot(...to.map((value, k) => value - from[k])) > LARGEST * size) continue;
      for (let corner = 0; corner < 8; corner++) {
        const p = [0, 1, 2].map((k) => (corner & (1 << k) ? to[k] : from[k]));
        for (let k = 0; k < 3; k++) {
          const value = pose[k] * p[0] + pose[4 + k] * p[1] + pose[8 + k] * p[2] + pose[12 + k];
          low[k] = Math.min(low[k], value);
          high[k] = Math.max(high[k], value);
        }
      }
    }
  }
}

function box(places) {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  places.forEach((value, k) => {
    low[k % 3] = Math.min(low[k % 3], value);
    high[k % 3] = Math.max(high[k % 3], value);
  });
  return [low, high];
}
