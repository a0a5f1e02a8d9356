import type { Server, Socket } from "node:net";

// What a Node socket stands on. Node (20 to 24) has no public way to either of these, and where it has other handles they do nothing.

/** A connection that the system has accepted and nobody has begun to read, before Node makes a socket of it. */
export interface AcceptedConnection {
  readonly remoteAddress: string;
  end(): void;
}

/**
 * Offers each connection to `take`, which ends in its own time what it returns true for; the others reach the server as ever.
 * A socket is most of what a refused connection costs, at once and as garbage that has become old. Node tells of one when it
 * is made (its `blockList`, from 22.13 on, is asked before, and cannot be told that an address is welcome again).
 */
export function takeAccepted(server: Server, take: (connection: AcceptedConnection) => boolean): void {
  server.on("listening", () => {
    const listening: unknown = "_handle" in server ? server._handle : undefined;
    if (!isListeningHandle(listening)) return;
    const pass = listening.onconnection;
    listening.onconnection = (status, client) => {
      if (!isClientHandle(client) || !take(toConnection(client))) pass.call(listening, status, client);
    };
  });
}

/** What the client of a socket sends stays in the network: without this Node reads some 64 KiB before anybody is told of it. */
export function stopReading(socket: Socket): void {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (isReadingHandle(handle)) handle.readStop();
}

interface ListeningHandle {
  onconnection(status: number, client: unknown): void;
}

interface ClientHandle {
  /** Writes the address into what it is given. */
  getpeername(into: { address?: string }): number;
  close(): void;
}

interface ReadingHandle {
  readStop(): void;
}

function isListeningHandle(handle: unknown): handle is ListeningHandle {
  return hasMethods(handle, "onconnection");
}

function isClientHandle(handle: unknown): handle is ClientHandle {
  return hasMethods(handle, "getpeername", "close");
}

function isReadingHandle(handle: unknown): handle is ReadingHandle {
  return hasMethods(handle, "readStop");
}

function hasMethods(handle: unknown, ...names: readonly string[]): boolean {
  return names.every((name) => typeof Reflect.get(Object(handle), name) === "function");
}

function toConnection(client: ClientHandle): AcceptedConnection {
  const peer: { address?: string } = {};
  client.getpeername(peer);
  return { remoteAddress: peer.address ?? "", end: () => client.close() };
}
