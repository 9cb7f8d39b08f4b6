// Draws the newest frame: ground, colliders, surface, lines, particles.

import { multiply } from "./matrix.js";
import { Rods } from "./rods.js";
import { GRID, LINES, POINTS, RODS, SURFACE } from "./shaders.js";
import { Skin } from "./skin.js";
import { Solids } from "./solids.js";

// Beyond this number of triangles normals are left to the graphics card (flat facets), to keep the page quick.
const MOST_SMOOTH = 300000;

// Bodies, colliders, rods and pins have the colours of pictures, which the server knows; a dark ground asks for a little less or more light.
export const THEMES = {
  light: {
    ground: [0.933, 0.945, 0.957], grid: [0.12, 0.2, 0.28, 0.3], line: [0.1, 0.2, 0.3], hand: [0.95, 0.68, 0.1],
    solid: (colour) => colour, rod: (colour) => colour, pin: (colour) => colour,
  },
  dark: {
    ground: [0.071, 0.09, 0.11], grid: [0.75, 0.85, 0.95, 0.2], line: [0.8, 0.9, 1.0], hand: [1.0, 0.8, 0.3],
    solid: (colour) => mix(colour, 0, 0.35), rod: (colour) => mix(colour, 1, 0.2), pin: (colour) => mix(colour, 1, 0.75),
  },
};

const mix = (colour, other, part) => colour.map((value) => value + (other - value) * part);
const GREY = [0.5, 0.5, 0.5];

export class Renderer {
  options = { surface: true, lines: true, points: true, speed: false, grid: true };
  theme = THEMES.light;
  palette = { solid: GREY, rod: GREY, pin: GREY, speed: new Float32Array(0) };
  count = 0;
  edges = 0;
  triangles = null;
  rods = new Rods();
  skin = new Skin();
  floor = -1;
  cell = 0.1;
  radius = 0.01;
  // Mean side of the surface's triangles; 0 without one.
  side = 0;
  held = null;
  drawn = 0;
  // Milliseconds that the last frame took before drawing: normals and upload.
  prepared = 0;

  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("This browser has no WebGL2, which the view needs.");
    this.gl = gl;
    this.canvas = canvas;
    this.solids = new Solids(gl);
    this.#prepare();
  }

  #prepare() {
    const gl = this.gl;
    this.programs = Object.fromEntries(
      Object.entries({ GRID, LINES, POINTS, RODS, SURFACE }).map(([name, source]) => [name, program(gl, source)]),
    );
    const buffer = () => gl.createBuffer();
    this.buffers = {
      place: buffer(), normal: buffer(), speed: buffer(), pinned: buffer(), edges: buffer(), triangles: buffer(),
      corner: buffer(), pull: buffer(), rods: buffer(), fixed: buffer(), paint: buffer(),
    };
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.corner);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  // What the server tells, from 0 to 255.
  setPalette({ solid, rod, pin, speed }) {
    const light = (colour) => colour.map((value) => value / 255);
    this.palette = { solid: light(solid), rod: light(rod), pin: light(pin), speed: new Float32Array(light(speed.flat())) };
  }

  setTopology(topology, particles) {
    const gl = this.gl;
    const { edges, triangles, pinned, tied, places, skin, paints, solids } = topology;
    gl.bindVertexArray(null);
    this.solids.set(solids);
    this.skin.set(skin);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.edges);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.triangles);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, triangles, gl.STATIC_DRAW);
    this.isPinned = new Uint8Array(particles);
    for (const k of pinned) this.isPinned[k] = 255;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.pinned);
    gl.bufferData(gl.ARRAY_BUFFER, this.isPinned, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.paint);
    gl.bufferData(gl.ARRAY_BUFFER, paints, gl.STATIC_DRAW);
    // Springs of a surface are lines on it.
    this.rods.set(triangles.length > 0 ? new Uint32Array(0) : edges, tied, places);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.fixed);
    gl.bufferData(gl.ARRAY_BUFFER, this.rods.places, gl.STATIC_DRAW);
    this.edgeList = edges;
    this.edges = edges.length;
    this.triangles = triangles;
    this.normals = triangles.length > 0 ? new Float32Array(3 * (particles + skin.count)) : null;
    this.count = 0;
    this.positions = null;
  }

  setFrame(frame) {
    const gl = this.gl;
    const upload = (buffer, data) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STREAM_DRAW);
    };
    const begun = performance.now();
    this.count = frame.count;
    this.positions = frame.positions;
    this.solids.move(frame.poses);
    const { places, speeds } = this.skin.carry(frame.positions, frame.speeds);
    upload(this.buffers.place, places);
    upload(this.buffers.speed, speeds);
    this.rods.move(frame.positions);
    upload(this.buffers.rods, this.rods.ends);
    if (this.normals && this.normals.length === places.length) {
      if (this.triangles.length <= 3 * MOST_SMOOTH) smoothNormals(this.normals, places, this.triangles);
      upload(this.buffers.normal, this.normals);
    }
    this.prepared = performance.now() - begun;
  }

  // Sizes that depend on how large the scene is.
  measure(low, high) {
    const size = Math.max(Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]), 1e-6);
    this.cell = 10 ** Math.round(Math.log10(size / 12));
    const p = this.positions;
    // Of the first 500 pairs, each `stride` numbers behind the one before.
    const mean = (ends, stride) => {
      const sampled = Math.min(Math.floor(ends.length / stride), 500);
      let sum = 0;
      for (let k = 0; k < sampled; k++) {
        const [a, b] = [3 * ends[stride * k], 3 * ends[stride * k + 1]];
        sum += Math.hypot(p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]) / sampled;
      }
      return sum;
    };
    const spacing = mean(this.edgeList, 2);
    // A fine skin has vertices behind the particles, and is fine enough.
    this.side = this.skin.isEmpty ? mean(this.triangles, 3) : 0;
    const lone = (size * 0.5) / Math.cbrt(Math.max(this.count, 1));
    const few = this.count <= 3 ? 0.03 : 0.022;
    this.radius = this.triangles.length > 0 ? 0.07 * spacing : Math.min(spacing > 0 ? 0.16 * spacing : lone, few * size);
  }

  draw(camera) {
    const gl = this.gl;
    const { view, projection, both } = camera.matrices();
    const ratio = this.canvas.height / camera.height;
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...this.theme.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (this.count > 0) {
      this.#solids(view, projection);
      const surface = this.options.surface && this.triangles.length > 0;
      if (surface) this.#surface(view, projection);
      if (this.options.lines && this.rods.count > 0) this.#rods(view, projection, camera);
      if (this.options.lines && !this.rods.hasEdges && this.edges > 0) this.#lines(both, surface);
      if (this.options.points && this.rods.places.length > 0) this.#fixed(view, projection, ratio);
      if (this.options.points) this.#points(view, projection, camera, ratio);
      if (this.held) this.#pull(both);
    }
    if (this.options.grid) this.#grid(both, camera);
    this.drawn += 1;
  }

  #use(name, uniforms, attributes) {
    const gl = this.gl;
    const { handle, uniform } = this.programs[name];
    gl.useProgram(handle);
    for (const [key, value] of Object.entries(uniforms)) uniform(key, value);
    for (let k = 0; k < 4; k++) gl.disableVertexAttribArray(k);
    for (const [key, buffer, size, type] of attributes) {
      const at = gl.getAttribLocation(handle, key);
      if (at < 0) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, type, type === gl.UNSIGNED_BYTE, 0, 0);
    }
  }

  #surface(view, projection) {
    const { gl, buffers: b, options } = this;
    const uniforms = { view, projection, plain: GREY, painted: 1, "map[0]": this.palette.speed, bySpeed: Number(options.speed), behind: 0 };
    this.#use("SURFACE", uniforms, [
      ["place", b.place, 3, gl.FLOAT], ["normal", b.normal, 3, gl.FLOAT], ["speed", b.speed, 1, gl.UNSIGNED_BYTE],
      ["paint", b.paint, 4, gl.UNSIGNED_BYTE],
    ]);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.triangles);
    gl.drawElements(gl.TRIANGLES, this.triangles.length, gl.UNSIGNED_INT, 0);
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  #solids(view, projection) {
    const { gl } = this;
    const plain = this.theme.solid(this.palette.solid);
    // Sheets are drawn with flat triangles; their middles are inside of the round collider that they lie on.
    const behind = 0.1 * this.side;
    for (const { buffers: b, pose, isPlane, triangles } of this.solids.list) {
      const uniforms = { view: multiply(view, pose), projection, plain, painted: 0, bySpeed: 0, behind };
      this.#use("SURFACE", uniforms, [["place", b.place, 3, gl.FLOAT], ["normal", b.normal, 3, gl.FLOAT]]);
      // From behind, a wall would hide what it is about.
      if (isPlane) gl.enable(gl.CULL_FACE);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.triangles);
      gl.drawElements(gl.TRIANGLES, triangles.length, gl.UNSIGNED_INT, 0);
      gl.disable(gl.CULL_FACE);
    }
  }

  #lines(both, overSurface) {
    const { gl, buffers: b, theme } = this;
    const dense = this.edges > 20000;
    const ink = [...theme.line, overSurface ? (dense ? 0.07 : 0.2) : dense ? 0.35 : 0.75];
    this.#use("LINES", { both, ink, nearer: 0.0003 }, [["place", b.place, 3, gl.FLOAT]]);
    gl.enable(gl.BLEND);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, b.edges);
    gl.drawElements(gl.LINES, this.edges, gl.UNSIGNED_INT, 0);
    gl.disable(gl.BLEND);
  }

  #rods(view, projection, camera) {
    const { gl, buffers: b, theme } = this;
    const smallest = 0.7 / (0.5 * camera.height * projection[5]);
    const uniforms = { view, projection, radius: 0.22 * this.radius, smallest, ink: theme.rod(this.palette.rod) };
    this.#use("RODS", uniforms, [["corner", b.corner, 2, gl.FLOAT]]);
    gl.bindBuffer(gl.ARRAY_BUFFER, b.rods);
    const ends = ["start", "end"].map((name) => gl.getAttribLocation(this.programs.RODS.handle, name));
    ends.forEach((at, k) => {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, 12 * k);
      gl.vertexAttribDivisor(at, 1);
    });
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.rods.count);
    for (const at of ends) gl.vertexAttribDivisor(at, 0);
  }

  // The places to which particles are tied.
  #fixed(view, projection, ratio) {
    const { gl, buffers: b, theme } = this;
    const pin = theme.pin(this.palette.pin);
    const uniforms = {
      view, projection, radius: 0.6 * this.radius, scale: this.canvas.height * 0.5 * projection[5], smallest: 3 * ratio,
      chosen: -1, marked: 1, ink: pin, pin, hand: theme.hand, painted: 0, bySpeed: 0,
    };
    this.#use("POINTS", uniforms, [["place", b.fixed, 3, gl.FLOAT]]);
    gl.drawArrays(gl.POINTS, 0, this.rods.places.length / 3);
  }

  #points(view, projection, camera, ratio) {
    const { gl, buffers: b, theme, options } = this;
    const scale = this.canvas.height * 0.5 * projection[5];
    const uniforms = {
      view, projection, radius: this.radius, scale, smallest: (this.triangles.length > 0 ? 1 : 2) * ratio,
      // Pins stand out among the small particles of a surface; a lone ball's pin is only where it hangs.
      marked: this.triangles.length > 0 ? 2.2 : this.count <= 3 ? 0.6 : 1.3,
      chosen: this.held ? this.held.particle : -1, pin: theme.pin(this.palette.pin), hand: theme.hand, ink: GREY,
      // On a surface of their own colour particles are darker.
      painted: this.triangles.length > 0 ? 0.8 : 1, bySpeed: Number(options.speed), "map[0]": this.palette.speed,
    };
    this.#use("POINTS", uniforms, [
      ["place", b.place, 3, gl.FLOAT], ["speed", b.speed, 1, gl.UNSIGNED_BYTE], ["pinned", b.pinned, 1, gl.UNSIGNED_BYTE],
      ["paint", b.paint, 4, gl.UNSIGNED_BYTE],
    ]);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  #pull(both) {
    const { gl, buffers: b } = this;
    const { particle, target } = this.held;
    const from = this.positions.subarray(3 * particle, 3 * particle + 3);
    gl.bindBuffer(gl.ARRAY_BUFFER, b.pull);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([...from, ...target]), gl.STREAM_DRAW);
    this.#use("LINES", { both, ink: [...this.theme.hand, 1], nearer: 0.001 }, [["place", b.pull, 3, gl.FLOAT]]);
    gl.drawArrays(gl.LINES, 0, 2);
  }

  #grid(both, camera) {
    const { gl, buffers: b } = this;
    const size = Math.max(8 * camera.distance, 1e-3);
    const centre = [camera.target[0], this.floor, camera.target[2]];
    this.#use("GRID", { both, centre, size, ink: this.theme.grid, cell: this.cell }, [["corner", b.corner, 2, gl.FLOAT]]);
    gl.enable(gl.BLEND);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }
}

function program(gl, { vertex, fragment }) {
  const handle = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(handle, shader);
  }
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(handle));
  const places = {};
  const kinds = {};
  const active = gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < active; k++) {
    const { name, type } = gl.getActiveUniform(handle, k);
    places[name] = gl.getUniformLocation(handle, name);
    kinds[name] = type;
  }
  const uniform = (name, value) => {
    const at = places[name];
    switch (kinds[name]) {
      case gl.FLOAT: return gl.uniform1f(at, value);
      case gl.INT: return gl.uniform1i(at, value);
      case gl.FLOAT_VEC3: return gl.uniform3fv(at, value);
      case gl.FLOAT_VEC4: return gl.uniform4fv(at, value);
      case gl.FLOAT_MAT4: return gl.uniformMatrix4fv(at, false, value);
      default: return undefined;
    }
  };
  return { handle, uniform };
}

function smoothNormals(out, p, triangles) {
  out.fill(0);
  for (let k = 0; k < triangles.length; k += 3) {
    const a = 3 * triangles[k], b = 3 * triangles[k + 1], c = 3 * triangles[k + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    out[a] += x; out[a + 1] += y; out[a + 2] += z;
    out[b] += x; out[b + 1] += y; out[b + 2] += z;
    out[c] += x; out[c + 1] += y; out[c + 2] += z;
  }
  for (let k = 0; k < out.length; k += 3) {
    const s = 1 / (Math.sqrt(out[k] * out[k] + out[k + 1] * out[k + 1] + out[k + 2] * out[k + 2]) || 1);
    out[k] *= s; out[k + 1] *= s; out[k + 2] *= s;
  }
}
