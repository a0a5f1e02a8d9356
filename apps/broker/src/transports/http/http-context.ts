import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** A request at the HTTP doors, with Node's own request and response below it. */
export type HttpContext = Context<{ Bindings: HttpBindings }>;

/** Runs when the response has been written in full, and not when its connection broke before. */
export function whenWritten({ env }: HttpContext, run: () => void): void {
  // Node also says "finish" of a response whose connection was reset in the midst of it.
  env.outgoing.once("finish", () => {
    if (!env.incoming.socket.destroyed) run();
  });
}

/** Aborted when the caller goes away before it is answered. */
export function callerSignal({ env }: HttpContext): AbortSignal {
  const gone = new AbortController();
  env.outgoing.once("close", () => {
    if (!env.outgoing.writableFinished) gone.abort();
  });
  return gone.signal;
}
