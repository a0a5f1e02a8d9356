import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { OriginReader } from "../../identity/origin/request-origin.js";
import { noteRequest } from "../../sessions/peers/peer.js";
import type { Admission, Authenticator, Services } from "../services.js";

/** A caller that was let in over HTTP, with its address. */
export interface HttpAdmission<All extends Services = Services> extends Admission<All> {
  readonly address: string;
  /** The connection, where it is the client's own: a proxy's may carry requests of many. */
  readonly connection: object | undefined;
}

/** Finds out who sends a request over HTTP, and to which mesh it is let in (ENTER-1). */
export type Admit<All extends Services = Services> = (c: HttpContext) => Promise<HttpAdmission<All>>;

export function createAdmit<All extends Services>(
  authenticator: Authenticator<All>,
  originReader: OriginReader,
  { forMcp = false }: { readonly forMcp?: boolean } = {},
): Admit<All> {
  return async (c) => {
    const origin = originReader.read(c.env.incoming);
    const connection = originReader.isDirect(c.env.incoming) ? c.env.incoming.socket : undefined;
    if (connection) noteRequest(connection);
    const admission = await authenticator.byRequest({
      origin,
      method: c.req.method,
      header: (name) => c.req.header(name),
      forMcp,
    });
    return { ...admission, address: origin.address, connection };
  };
}

/** A request at the HTTP transports, with Node's own request and response below it. */
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
