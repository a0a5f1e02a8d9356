import type { ServerResponse } from "node:http";

/**
 * Serves the requests from each address a few at a time, in order of arrival (GUARD-21). Without this limit,
 * one client's forty parallel requests would occupy PostgreSQL and the broker while other clients wait. A
 * slow request, such as a wait, delays the requests after it only briefly.
 */
export type ConcurrencyLimit = (address: string, response: ServerResponse, serve: () => void) => void;

export interface ConcurrencyBounds {
  /** Maximum number of requests from one address that are served at the same time. */
  readonly countMax: number;
  /** How long a request counts towards the limit, even if the request takes longer. */
  readonly countedMs: number;
}

interface QueuedRequest {
  readonly response: ServerResponse;
  readonly serve: () => void;
}

interface Queue {
  served: number;
  readonly waiting: QueuedRequest[];
}

export function createConcurrencyLimit({ countMax, countedMs }: ConcurrencyBounds): ConcurrencyLimit {
  const queues = new Map<string, Queue>();

  function serveNext(address: string, queue: Queue): void {
    while (queue.served < countMax) {
      const next = queue.waiting.shift();
      if (!next) break;
      // The client has disconnected, so no one could read the reply.
      if (!next.response.req.socket.destroyed) startServing(next, queue, () => serveNext(address, queue));
    }
    if (queue.served === 0) queues.delete(address);
  }

  function startServing({ response, serve }: QueuedRequest, queue: Queue, onEnd: () => void): void {
    queue.served += 1;
    const end = () => {
      clearTimeout(deadline);
      response.removeListener("close", end);
      queue.served -= 1;
      onEnd();
    };
    const deadline = setTimeout(end, countedMs).unref();
    response.once("close", end);
    serve();
  }

  return (address, response, serve) => {
    const queue = queues.get(address) ?? { served: 0, waiting: [] };
    queues.set(address, queue);
    queue.waiting.push({ response, serve });
    serveNext(address, queue);
  };
}
