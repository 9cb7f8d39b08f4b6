// The connection: opened again, later and later, when it is lost.

import { decode } from "./messages.js";

const FIRST_WAIT = 300;
const LONGEST_WAIT = 8000;

export class Link {
  #socket = null;
  #wait = FIRST_WAIT;
  #timer = 0;

  // `handlers`: state(name, text), text(message), binary(message).
  constructor(handlers) {
    this.handlers = handlers;
    this.#open();
    addEventListener("online", () => this.retry());
  }

  #open() {
    clearTimeout(this.#timer);
    const address = new URL("live", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.handlers.state("connecting", "connecting");
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.#wait = FIRST_WAIT;
      this.handlers.state("live", "live");
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.handlers.text(JSON.parse(data));
      else this.handlers.binary(decode(data));
    };
    socket.onclose = ({ reason }) => {
      if (this.#socket !== socket) return;
      const why = reason || (opened ? "connection lost" : "no answer");
      this.handlers.state("lost", `${why}; trying again`);
      this.#timer = setTimeout(() => this.#open(), this.#wait);
      this.#wait = Math.min(LONGEST_WAIT, this.#wait * 1.7);
    };
    this.#socket = socket;
  }

  retry() {
    if (this.#socket.readyState > WebSocket.OPEN) this.#open();
  }

  // For tests: as if the network had failed.
  drop() {
    this.#socket.close();
  }

  send(message) {
    if (this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }
}
