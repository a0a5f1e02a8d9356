import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

type Id = string | number;

/** A WebSocket connection on which a test can send anything. It is closed when the test has finished. */
export class TestSocket {
  /** The code with which the broker closed the connection. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #frames: Record<string, unknown>[] = [];
  readonly #listeners = new Set<() => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => undefined);
    socket.on("message", (data) => {
      this.#frames.push(JSON.parse(String(data)));
      for (const listener of this.#listeners) listener();
    });
    onTestFinished(() => socket.terminate());
  }

  /** Opens a connection. Resolves when the broker has sent its hello. */
  static async open(url: string): Promise<TestSocket> {
    const socket = new TestSocket(new WebSocket(`${url.replace(/^http/, "ws")}/ws`));
    await socket.#frame((frame) => frame["type"] === "hello");
    return socket;
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string | Buffer): void {
    this.#socket.send(text);
  }

  request(id: Id, operation: string, input: object): void {
    this.send({ type: "request", id, operation, input });
  }

  replyTo(id: Id): Promise<Record<string, unknown>> {
    return this.#frame((frame) => frame["type"] === "reply" && frame["id"] === id);
  }

  replies(): Record<string, unknown>[] {
    return this.#frames.filter((frame) => frame["type"] === "reply");
  }

  end(): void {
    this.#socket.terminate();
  }

  #frame(isIt: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const frame = this.#frames.find(isIt);
        if (!frame) return;
        this.#listeners.delete(look);
        resolve(frame);
      };
      this.#listeners.add(look);
      void this.closed.then((code) => reject(new Error(`The connection closed with ${code}.`)));
      look();
    });
  }
}
