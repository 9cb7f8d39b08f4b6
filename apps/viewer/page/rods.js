// Segments with a thickness: the springs of scenes that have few of them and no surface, and what ties particles to fixed places.

// Of more segments than that, thin lines are drawn: they cost the page nothing for a frame.
export const MOST_RODS = 4000;

export class Rods {
  ends = new Float32Array(0);
  #edges = new Uint32Array(0);
  #tied = new Uint32Array(0);
  places = new Float32Array(0);

  // Which particles are joined, and which are tied to which places.
  set(edges, tied, places) {
    this.#edges = edges.length <= 2 * MOST_RODS ? edges : new Uint32Array(0);
    [this.#tied, this.places] = tied.length <= MOST_RODS ? [tied, places] : [new Uint32Array(0), new Float32Array(0)];
    this.ends = new Float32Array(3 * this.#edges.length + 6 * this.#tied.length);
  }

  // Whether springs are among them.
  get hasEdges() {
    return this.#edges.length > 0;
  }

  get count() {
    return this.ends.length / 6;
  }

  move(positions) {
    let at = 0;
    const put = (from, k) => {
      this.ends[at++] = from[3 * k];
      this.ends[at++] = from[3 * k + 1];
      this.ends[at++] = from[3 * k + 2];
    };
    for (const particle of this.#edges) put(positions, particle);
    this.#tied.forEach((particle, k) => {
      put(this.places, k);
      put(positions, particle);
    });
  }

  // Widens a box, and says whether it did, by where particles on a tie, or on the only spring to a pinned one, may swing to: as far away as they are now, to
  // every side in the plane x, y; not above where they are if they `hang`.
  reach(positions, isPinned, hang, low, high) {
    const at = (k) => positions.subarray(3 * k, 3 * k + 3);
    const pairs = Array.from(this.#tied, (particle, k) => [this.places.subarray(3 * k, 3 * k + 3), at(particle)]);
    const [a, b] = this.#edges;
    if (this.#edges.length === 2 && isPinned[a] !== isPinned[b]) pairs.push(isPinned[a] ? [at(a), at(b)] : [at(b), at(a)]);
    for (const [from, to] of pairs) {
      const far = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
      for (let axis = 0; axis < 3; axis++) {
        const by = axis < 2 ? far : 0;
        low[axis] = Math.min(low[axis], from[axis] - by);
        high[axis] = Math.max(high[axis], from[axis] + (axis === 1 && hang ? 0 : by));
      }
    }
    return pairs.length > 0;
  }
}
