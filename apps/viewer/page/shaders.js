// GLSL. Positions come in world space; light is fixed to the camera, so that every side can be read.

const HEAD = `#version 300 es
precision highp float;
`;

// The colours of speeds, which the server tells.
const RAMP = `
uniform vec3 map[14];
vec3 ramp(float s) {
  float place = clamp(s, 0.0, 1.0) * 13.0;
  int below = min(int(place), 12);
  return mix(map[below], map[below + 1], place - float(below));
}`;

export const SURFACE = {
  vertex: `${HEAD}
in vec3 place; in vec3 normal; in float speed; in vec4 paint;
uniform mat4 view, projection; uniform float behind;
out vec3 seen; out vec3 facing; out float pace; out vec3 tint;
void main() {
  vec4 p = view * vec4(place, 1.0);
  seen = p.xyz; facing = mat3(view) * normal; pace = speed; tint = paint.rgb;
  gl_Position = projection * p;
  // drawn where it is, but hidden as if its surface were this many metres deeper
  float across = max(abs(dot(normalize(facing), normalize(seen))), 0.15);
  vec4 q = projection * vec4(p.xyz * (1.0 + behind / (across * length(p.xyz))), 1.0);
  gl_Position.z = q.z / q.w * gl_Position.w;
}`,
  fragment: `${HEAD}${RAMP}
in vec3 seen; in vec3 facing; in float pace; in vec3 tint;
uniform vec3 plain; uniform float painted, bySpeed;
out vec4 colour;
void main() {
  vec3 n = dot(facing, facing) > 1e-12 ? normalize(facing) : normalize(cross(dFdx(seen), dFdy(seen)));
  vec3 eye = normalize(-seen);
  bool other = dot(n, eye) < 0.0;
  if (other) n = -n;
  // The other side is nearly the same, a little paler, as in pictures.
  vec3 base = bySpeed > 0.5 ? ramp(pace) : painted > 0.0 ? (other ? sqrt(0.82 * tint * tint + 0.10) : tint) : plain;
  vec3 key = normalize(vec3(-0.4, 0.75, 0.6));
  float light = 0.62 + 0.14 * n.y + 0.36 * max(dot(n, key), 0.0);
  float gloss = pow(max(dot(n, normalize(key + eye)), 0.0), 48.0);
  float rim = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
  colour = vec4(base * light + 0.10 * gloss + 0.06 * rim, 1.0);
}`,
};

export const LINES = {
  vertex: `${HEAD}
in vec3 place; uniform mat4 both; uniform float nearer;
void main() { gl_Position = both * vec4(place, 1.0); gl_Position.z -= nearer * gl_Position.w; }`,
  fragment: `${HEAD}
uniform vec4 ink; out vec4 colour;
void main() { colour = ink; }`,
};

// A segment as a strip that faces the eye: round where it is wide, never thinner than can be seen.
export const RODS = {
  vertex: `${HEAD}
in vec2 corner; in vec3 start; in vec3 end;
uniform mat4 view, projection; uniform float radius, smallest;
out float side;
void main() {
  vec4 a = view * vec4(start, 1.0), b = view * vec4(end, 1.0);
  vec4 p = corner.y < 0.0 ? a : b;
  vec3 across = cross(b.xyz - a.xyz, p.xyz);
  float size = length(across);
  if (size > 0.0) p.xyz += across * (corner.x * max(radius, smallest * -p.z) / size);
  side = corner.x;
  gl_Position = projection * p;
}`,
  fragment: `${HEAD}
in float side; uniform vec3 ink; out vec4 colour;
void main() { colour = vec4(ink * (0.62 + 0.5 * sqrt(max(1.0 - side * side, 0.0))), 1.0); }`,
};

export const POINTS = {
  vertex: `${HEAD}
in vec3 place; in float speed; in float pinned; in vec4 paint;
uniform mat4 view, projection; uniform float radius, scale, smallest, marked; uniform int chosen;
out float pace; out float held; out vec3 tint;
void main() {
  vec4 p = view * vec4(place, 1.0);
  pace = speed; tint = paint.rgb; held = gl_VertexID == chosen ? 2.0 : (pinned > 0.0 ? 1.0 : 0.0);
  gl_Position = projection * p;
  gl_Position.z -= 0.0006 * gl_Position.w;
  float size = 2.0 * radius * scale / max(-p.z, 1e-6);
  gl_PointSize = clamp(size, smallest, 64.0) * (held > 0.5 ? marked : 1.0);
}`,
  fragment: `${HEAD}${RAMP}
in float pace; in float held; in vec3 tint;
uniform vec3 ink, pin, hand; uniform float painted, bySpeed;
out vec4 colour;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(d, d);
  if (r2 > 1.0) discard;
  vec3 n = vec3(d.x, -d.y, sqrt(1.0 - r2));
  vec3 base = held > 1.5 ? hand : (held > 0.5 ? pin : (bySpeed > 0.5 ? ramp(pace) : painted > 0.0 ? painted * tint : ink));
  float light = 0.5 + 0.55 * max(dot(n, normalize(vec3(-0.4, 0.75, 0.6))), 0.0);
  colour = vec4(base * light, 1.0);
}`,
};

export const GRID = {
  vertex: `${HEAD}
in vec2 corner; uniform mat4 both; uniform vec3 centre; uniform float size;
out vec2 at; out vec2 off;
void main() {
  off = corner; at = centre.xz + corner * size;
  gl_Position = both * vec4(at.x, centre.y, at.y, 1.0);
}`,
  fragment: `${HEAD}
in vec2 at; in vec2 off;
uniform vec4 ink; uniform float cell;
out vec4 colour;
float lines(float width) {
  vec2 p = at / width, w = fwidth(p);
  vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.25, 0.7, max(w.x, w.y)));
}
void main() {
  float strength = max(0.45 * lines(cell), lines(5.0 * cell));
  float fade = 1.0 - smoothstep(0.15, 1.0, length(off));
  colour = vec4(ink.rgb, ink.a * strength * fade);
}`,
};
