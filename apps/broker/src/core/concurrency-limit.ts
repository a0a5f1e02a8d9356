import type { ServerResponse } from "node:http";

/**
 * Serves the requests of an address a few at a time, in the order in which they came (GUARD-21): forty at once would have
 * PostgreSQL and the broker work on all of them while somebody else's waits behind. What takes long, as waits do, keeps
 * nobody from being served for more than a moment.
 */
export type ConcurrencyLimit = (address: string, response: ServerResponse, serve: () => void) => void;

export interface ConcurrencyBounds {
  /** So many of an address are served at once. */
  readonly countMax: number;
  /** For so long one counts among them, however long it goes on. */
  readonly countedMs: number;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly serve: () => void;
}

interface Queue {
  served: number;
  readonly waiting: Waiting[];
}

export function createConcurrencyLimit({ countMax, countedMs }: ConcurrencyBounds): ConcurrencyLimit {
  const queues = new Map<string, Queue>();

  function goOn(address: string, queue: Queue): void {
    while (queue.served < countMax) {
      const next = queue.waiting.shift();
      if (!next) break;
      // Nobody is there any more who could read the answer.
      if (!next.response.req.socket.destroyed) begin(next, queue, () => goOn(address, queue));
    }
    if (queue.served === 0) queues.delete(address);
  }

  function begin({ response, serve }: Waiting, queue: Queue, ended: () => void): void {
    queue.served += 1;
    const end = () => {
      clearTimeout(deadline);
      response.removeListener("close", end);
      queue.served -= 1;
      ended();
    };
    const deadline = setTimeout(end, countedMs).unref();
    response.once("close", end);
    serve();
  }

  return (address, response, serve) => {
    const queue = queues.get(address) ?? { served: 0, waiting: [] };
    queues.set(address, queue);
    queue.waiting.push({ response, serve });
    goOn(address, queue);
  };
}
