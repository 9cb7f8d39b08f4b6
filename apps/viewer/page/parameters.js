// Controls for whatever the scene declares.

const element = (name, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
};

const show = (value) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(5))) : value.toExponential(3).replace(/\.?0+e/, "e");
};

const THROTTLE = 120;

export class Parameters {
  #controls = new Map();
  #shape = "";

  // `set(path, value)` sends a change.
  constructor(form, set) {
    this.form = form;
    this.set = set;
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  update(list) {
    const shape = JSON.stringify(list.map(({ path, kind, choices }) => [path, kind, choices]));
    if (shape !== this.#shape) this.#build(list);
    this.#shape = shape;
    for (const parameter of list) this.#controls.get(parameter.path)(parameter);
  }

  // The server refused a value: show what holds.
  restore(list) {
    for (const parameter of list) this.#controls.get(parameter.path)?.(parameter, true);
  }

  #build(list) {
    const focus = document.activeElement?.dataset?.path;
    this.#controls.clear();
    const groups = new Map();
    for (const parameter of list) {
      if (!groups.has(parameter.group)) {
        groups.set(parameter.group, element("fieldset", {}, element("legend", { textContent: parameter.group })));
      }
      const [row, update] = this.#row(parameter);
      groups.get(parameter.group).append(row);
      this.#controls.set(parameter.path, update);
    }
    this.form.replaceChildren(...groups.values());
    if (focus) this.form.querySelector(`[data-path="${CSS.escape(focus)}"]`)?.focus();
  }

  #row(parameter) {
    const name = element("span", {}, parameter.label);
    if (parameter.unit) name.append(" ", element("i", { textContent: parameter.unit }));
    const row = element(parameter.kind === "vector" ? "div" : "label", { className: "row" }, name);
    const make = { number: this.#number, vector: this.#vector, choice: this.#choice }[parameter.kind];
    return [row, make.call(this, row, parameter)];
  }

  #choice(row, { path, choices }) {
    const select = element("select");
    select.dataset.path = path;
    for (const [value, summary] of choices) select.append(element("option", { value, textContent: value, title: summary }));
    select.addEventListener("change", () => this.set(path, select.value));
    row.append(select);
    return ({ value }) => {
      select.value = value;
      select.title = choices.find(([name]) => name === value)?.[1] ?? "";
    };
  }

  #number(row, { path, label, unit, min, max, logarithmic }) {
    const text = element("input", { className: "text", type: "text", inputMode: "decimal", title: `${label}: a number in ${unit || "parts of 1"}, or with a unit` });
    text.dataset.path = path;
    const to = logarithmic ? Math.log10 : (value) => value;
    const from = logarithmic ? (value) => 10 ** value : (value) => value;
    const slider = element("input", { type: "range", min: to(min), max: to(max), step: "any", tabIndex: -1 });
    slider.setAttribute("aria-label", `${label} (slider)`);
    let timer = 0;
    let busy = false;
    const send = (value) => {
      clearTimeout(timer);
      timer = setTimeout(() => this.set(path, value), THROTTLE);
    };
    text.addEventListener("change", () => {
      const plain = text.value.trim().replace(",", ".");
      if (plain !== "") this.set(path, Number.isFinite(Number(plain)) ? Number(plain) : plain);
    });
    slider.addEventListener("input", () => {
      busy = true;
      const value = Number(from(Number(slider.value)).toPrecision(3));
      text.value = show(value);
      send(value);
    });
    slider.addEventListener("change", () => (busy = false));
    row.append(text, slider);
    return ({ value }, force) => {
      if (document.activeElement !== text || force) text.value = show(value);
      if (!busy) slider.value = value > 0 || !logarithmic ? to(value) : to(min);
    };
  }

  #vector(row, { path, label }) {
    const box = element("div", { className: "three" });
    const fields = ["x", "y", "z"].map((axis) => {
      const field = element("input", { className: "text", type: "text", inputMode: "decimal", title: `${label}, ${axis}` });
      field.setAttribute("aria-label", `${label}, ${axis}`);
      field.dataset.path = `${path}.${axis}`;
      field.addEventListener("change", () => {
        const value = fields.map(({ value: text }) => Number(text.replace(",", ".")));
        if (value.every(Number.isFinite)) this.set(path, value);
      });
      return field;
    });
    box.append(...fields);
    row.append(box);
    return ({ value }, force) => {
      fields.forEach((field, k) => {
        if (document.activeElement !== field || force) field.value = show(value[k]);
      });
    };
  }
}
