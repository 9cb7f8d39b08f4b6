// The list of changes made while the scene runs, and the command line that runs the scene with them.

const SHOWN_FOR = 1500;

export class Changes {
  #timer = 0;

  // `root`: the element with a list, a note, the command and its button.
  constructor(root) {
    this.root = root;
    this.list = root.querySelector("ol");
    this.note = root.querySelector("#left-out");
    this.command = root.querySelector("#command");
    this.button = root.querySelector("#copy");
    this.button.addEventListener("click", () => this.copy());
  }

  update({ edits, left_out: leftOut, command }) {
    this.root.hidden = edits.length === 0;
    this.note.hidden = leftOut === 0;
    this.note.textContent = `${leftOut} earlier ones are not listed.`;
    this.list.replaceChildren(
      ...edits.map(({ time, assignment }) => {
        const [row, when] = [document.createElement("li"), document.createElement("time")];
        when.textContent = `${time.toFixed(3)} s`;
        row.append(when, ` ${assignment}`);
        return row;
      }),
    );
    this.list.scrollTop = this.list.scrollHeight;
    this.command.textContent = command;
  }

  async copy() {
    let done = true;
    try {
      await navigator.clipboard.writeText(this.command.textContent);
    } catch {
      // Pages from other machines have no clipboard: mark the text and let the browser copy it.
      getSelection().selectAllChildren(this.command);
      done = document.execCommand("copy");
    }
    this.button.textContent = done ? "Copied" : "Marked: press Ctrl-C";
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.button.textContent = "Copy command"), SHOWN_FOR);
  }
}
