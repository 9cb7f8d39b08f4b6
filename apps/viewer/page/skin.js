// Fine surfaces: vertices that particles carry along; their layout is described in topology.rs.

const NONE = { count: 0, carriers: new Uint32Array(0), weights: new Float32Array(0) };

export class Skin {
  #skin = NONE;
  #places = new Float32Array(0);
  #speeds = new Uint8Array(0);

  get isEmpty() {
    return this.#skin.count === 0;
  }

  set(skin) {
    this.#skin = skin;
  }

  // Places and speeds of the particles, and behind them those of the vertices that they carry.
  carry(places, speeds) {
    const { count, carriers, weights } = this.#skin;
    if (count === 0) return { places, speeds };
    const particles = speeds.length;
    if (this.#speeds.length !== particles + count) {
      this.#places = new Float32Array(3 * (particles + count));
      this.#speeds = new Uint8Array(particles + count);
    }
    const [p, s] = [this.#places, this.#speeds];
    p.set(places);
    s.set(speeds);
    for (let k = 0; k < count; k++) {
      const [a, b, c, d] = [carriers[4 * k], carriers[4 * k + 1], carriers[4 * k + 2], carriers[4 * k + 3]];
      const [u, v, w] = [weights[3 * k], weights[3 * k + 1], weights[3 * k + 2]];
      const at = 3 * (particles + k);
      for (let axis = 0; axis < 3; axis++) {
        const from = places[3 * a + axis];
        p[at + axis] =
          from + u * (places[3 * b + axis] - from) + v * (places[3 * c + axis] - from) + w * (places[3 * d + axis] - from);
      }
      const speed = speeds[a] + u * (speeds[b] - speeds[a]) + v * (speeds[c] - speeds[a]) + w * (speeds[d] - speeds[a]);
      // Outside of its tetrahedron a vertex may be faster than any particle, or slower.
      s[particles + k] = Math.max(0, Math.min(255, speed));
    }
    return { places: p, speeds: s };
  }
}
