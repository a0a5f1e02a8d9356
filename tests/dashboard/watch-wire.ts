import type { Page } from "playwright-core";

/** Observes and controls the WebSocket between a page and the broker. */
export interface WatchedWire {
  /** Types of the frames that the page has sent. For a request, the name of its operation. */
  readonly sent: readonly string[];
  /** Delays the replies to an operation until the returned function is called. */
  hold(operation: string): () => void;
  /** Makes requests for an operation refer to a nonexistent session, until the returned function is called. */
  mislead(operation: string): () => void;
}

/** Starts watching a page's WebSocket. Call this before the page is opened. */
export async function watchWire(page: Page): Promise<WatchedWire> {
  const sent: string[] = [];
  const held = new Map<string, (() => void)[]>();
  const misled = new Set<string>();
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const broker = socket.connectToServer();
    const asked = new Map<string, string>();
    socket.onMessage((text) => {
      const frame = JSON.parse(String(text));
      const name: string = frame.type === "request" ? frame.operation : frame.type;
      sent.push(name);
      asked.set(frame.id, name);
      if (misled.has(name)) frame.input.session_id = "00000000-0000-4000-8000-000000000000";
      broker.send(JSON.stringify(frame));
    });
    broker.onMessage((text) => {
      const { id } = JSON.parse(String(text));
      const waiting = held.get(asked.get(id) ?? "");
      if (waiting) waiting.push(() => socket.send(text));
      else socket.send(text);
    });
  });
  return {
    sent,
    hold(operation) {
      const waiting: (() => void)[] = [];
      held.set(operation, waiting);
      return () => {
        held.delete(operation);
        for (const pass of waiting) pass();
      };
    },
    mislead(operation) {
      misled.add(operation);
      return () => void misled.delete(operation);
    },
  };
}
