import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { answerParent } from "../child.js";
import { readState, type StateQuestion } from "../process-state.js";

/** Where a reference server may store messages. It creates its own tables and files there. */
export interface StoreStart {
  readonly databaseUrl: string;
  readonly folder: string;
}

export type PostServerQuestion = { readonly start: StoreStart } | StateQuestion;

export interface PostServerAddress {
  readonly socketUrl: string;
}

export interface NewMessage {
  readonly session_id: string;
  /** The content as JSON. */
  readonly content: string;
}

export interface StoredMessage extends NewMessage {
  readonly sequence: number;
}

export interface MessageStore {
  /** Stores a message and resolves with its number once it is on disk. */
  add(message: NewMessage): Promise<number>;
  close(): Promise<void>;
}

/** @param deliver - sends a stored message to everyone who follows its session */
export type OpenStore = (
  start: StoreStart,
  deliver: (message: StoredMessage) => void,
) => Promise<MessageStore>;

/** The frames that a caller sends. */
type Frame =
  | { readonly type: "request"; readonly id: number; readonly input: Input }
  | { readonly type: "subscribe"; readonly id: number; readonly session_id: string };

interface Input {
  readonly session_id: string;
  readonly content: unknown;
}

/**
 * Serves a store of messages over WebSocket in this process, with the frames of the broker. All reference servers are
 * served this way, so that they differ only in how they store. None has credentials, retries, limits or recipients.
 */
export function servePosts(openStore: OpenStore): void {
  const followers = new Map<string, Set<WebSocket>>();
  let store: MessageStore | undefined;

  function deliver({ session_id, sequence, content }: StoredMessage): void {
    const message = `{"type":"message","message":{"session_id":"${session_id}","sequence":${sequence},"content":${content}}}`;
    for (const follower of followers.get(session_id) ?? []) follower.send(message);
  }

  function follow(socket: WebSocket, session_id: string): void {
    const following = followers.get(session_id) ?? new Set();
    followers.set(session_id, following.add(socket));
    socket.once("close", () => following.delete(socket));
  }

  async function post(socket: WebSocket, id: number, { session_id, content }: Input): Promise<void> {
    const cursor = await store?.add({ session_id, content: JSON.stringify(content) });
    socket.send(`{"type":"reply","id":${id},"output":{"cursor":${cursor}}}`);
  }

  const http = createServer();
  const server = new WebSocketServer({ server: http, perMessageDeflate: false });
  server.on("connection", (socket) => {
    socket.on("message", (data) => {
      // Only the load generator connects, and it sends no other frames.
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === "request") return void post(socket, frame.id, frame.input);
      follow(socket, frame.session_id);
      socket.send(`{"type":"reply","id":${frame.id},"output":{"last_sequence":0}}`);
    });
  });
  const listening = new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));

  answerParent(
    async (question: PostServerQuestion) => {
      if ("state" in question) return readState(question);
      store = await openStore(question.start, deliver);
      await listening;
      // The address has this type because the server listens on a port, not on a pipe.
      const { port } = http.address() as AddressInfo;
      return { socketUrl: `ws://127.0.0.1:${port}` } satisfies PostServerAddress;
    },
    async () => store?.close(),
  );
}
