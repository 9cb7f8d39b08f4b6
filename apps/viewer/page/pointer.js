// Mouse, pen and fingers on the view: pull a particle, turn, move, zoom.

const REACH = { mouse: 18, pen: 22, touch: 34 };
const HOVER_MOST = 60000;

export class Pointer {
  #fingers = new Map();
  #held = null;

  // `scene`: camera, renderer, send(command), redraw().
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
      canvas.addEventListener(name, (event) => this.#up(event));
    }
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  // The particle nearest to the eye among those within reach of the pointer.
  pick(x, y, reach) {
    const { camera, renderer } = this.scene;
    const { both } = camera.matrices();
    const p = renderer.positions;
    let best = -1;
    let score = Infinity;
    for (let k = 0; k < renderer.count; k++) {
      if (renderer.isPinned[k]) continue;
      const [px, py, w] = camera.project(both, p[3 * k], p[3 * k + 1], p[3 * k + 2]);
      const off = Math.hypot(px - x, py - y);
      if (w <= 0 || off > reach) continue;
      const value = off / reach + (2 * w) / camera.distance;
      if (value < score) [best, score] = [k, value];
    }
    return best;
  }

  release() {
    if (!this.#held) return;
    this.#held = null;
    this.scene.renderer.held = null;
    this.scene.send({ type: "release" });
    this.canvas.classList.remove("held");
    this.scene.redraw();
  }

  #down(event) {
    const { canvas, scene } = this;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const finger = { x: event.clientX, y: event.clientY, way: "turn" };
    if (event.button === 1 || event.button === 2 || event.shiftKey) finger.way = "move";
    this.#fingers.set(event.pointerId, finger);
    if (this.#fingers.size > 1) return this.release();
    if (finger.way !== "turn" || scene.renderer.count === 0) return;
    const particle = this.pick(finger.x, finger.y, REACH[event.pointerType] ?? 20);
    if (particle < 0) return;
    finger.way = "pull";
    const through = [...scene.renderer.positions.subarray(3 * particle, 3 * particle + 3)];
    const target = scene.camera.unproject(finger.x, finger.y, through);
    this.#held = { particle, through };
    scene.renderer.held = { particle, target };
    scene.send({ type: "grab", particle, target });
    canvas.classList.add("held");
    scene.redraw();
  }

  #move(event) {
    const finger = this.#fingers.get(event.pointerId);
    const [x, y] = [event.clientX, event.clientY];
    const { camera, renderer } = this.scene;
    if (!finger) {
      const near = renderer.count > 0 && renderer.count <= HOVER_MOST && this.pick(x, y, REACH.mouse) >= 0;
      this.canvas.classList.toggle("over", near);
      return;
    }
    const [dx, dy] = [x - finger.x, y - finger.y];
    if (this.#fingers.size > 1) {
      this.#pinch(event.pointerId, finger, x, y);
    } else if (finger.way === "pull" && this.#held) {
      const target = camera.unproject(x, y, this.#held.through);
      renderer.held = { particle: this.#held.particle, target };
      this.pending = { type: "move", target };
    } else if (finger.way === "move") {
      camera.pan(dx, dy);
    } else if (finger.way === "turn") {
      camera.turn(dx * 0.007, dy * 0.007);
    }
    [finger.x, finger.y] = [x, y];
    this.scene.redraw();
  }

  #pinch(id, finger, x, y) {
    const { camera } = this.scene;
    const [other] = [...this.#fingers].filter(([key]) => key !== id).map(([, value]) => value);
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(x - other.x, y - other.y);
    if (before > 1 && after > 1) camera.zoom(before / after);
    camera.pan((x - finger.x) / 2, (y - finger.y) / 2);
    finger.way = other.way = "turn";
  }

  #up(event) {
    if (!this.#fingers.delete(event.pointerId)) return;
    if (this.#fingers.size === 0) {
      this.flush();
      this.release();
    }
  }

  #wheel(event) {
    event.preventDefault();
    const unit = [1, 16, 400][event.deltaMode];
    this.scene.camera.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY * unit)) * 0.0015));
    this.scene.redraw();
  }

  // Sends the newest target, once a picture.
  flush() {
    if (this.pending && this.#held) this.scene.send(this.pending);
    this.pending = null;
  }
}
