import { WebSocket } from "ws";

/** Calls operations over a WebSocket, with inputs and outputs of any size. */
export interface Caller {
  /** @throws Error with the broker's message if it refuses the call */
  call(operation: string, input: object): Promise<Record<string, unknown>>;
  /** @throws Error if the broker does not refuse the call */
  callInVain(operation: string, input: object): Promise<void>;
  close(): void;
}

type Reply = { readonly output: Record<string, unknown> } | { readonly error: { readonly message: string } };

interface PendingCall {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export async function openCaller(socketUrl: string): Promise<Caller> {
  const socket = new WebSocket(socketUrl, { perMessageDeflate: false });
  const waiting = new Map<number, PendingCall>();
  let calls = 0;
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("message", (data) => {
    // Receives all frames from the broker. Only replies have an id.
    const frame = JSON.parse(String(data)) as Reply & { readonly id?: number };
    if (frame.id === undefined) return;
    waiting.get(frame.id)?.resolve(frame);
    waiting.delete(frame.id);
  });
  socket.on("close", (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The connection was closed with ${code}.`));
  });

  function ask(operation: string, input: object): Promise<Reply> {
    if (socket.readyState !== socket.OPEN) throw new Error(`${operation}: the connection is closed.`);
    calls += 1;
    const id = calls;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ type: "request", id, operation, input }));
    });
  }

  return {
    async call(operation, input) {
      const reply = await ask(operation, input);
      if ("error" in reply) throw new Error(`${operation}: ${reply.error.message}`);
      return reply.output;
    },
    async callInVain(operation, input) {
      if ("output" in (await ask(operation, input))) throw new Error(`${operation} was not refused.`);
    },
    close: () => socket.close(),
  };
}
