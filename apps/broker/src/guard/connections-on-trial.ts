import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Lets in no more connections of an address that was refused lately than it has refusals left (GUARD-8): each of them takes one
 * until it asks for something. Otherwise all that came in the moment in which one might be refused would be let in for it.
 *
 * @param setAside - takes a refusal of an address that was refused lately, and returns what gives it back; null for all others
 * @returns to be called with each connection that is let in: whether it has taken one
 */
export function createTrials(
  server: Server,
  setAside: (address: string) => (() => void) | null,
): (socket: Socket, address: string) => boolean {
  // Over TLS requests come from another socket than the one that was begun, with the same ends.
  const onTrial = new Map<string, () => void>();

  function endTrial({ socket }: IncomingMessage): void {
    if (onTrial.size === 0) return;
    const ends = endsOf(socket);
    onTrial.get(ends)?.();
    onTrial.delete(ends);
  }

  server.prependListener("request", endTrial);
  server.prependListener("upgrade", endTrial);
  return (socket, address) => {
    const giveBack = setAside(address);
    if (!giveBack) return false;
    const ends = endsOf(socket);
    onTrial.set(ends, giveBack);
    socket.once("close", () => onTrial.delete(ends));
    return true;
  };
}

function endsOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
