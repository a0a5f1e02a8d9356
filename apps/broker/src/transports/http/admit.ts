import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { OriginReader } from "../../identity/origin/request-origin.js";
import { noteRequest } from "../../sessions/peers/peer.js";
import type { Admission, Authenticator, Services } from "../services.js";

/** An admitted HTTP caller, with its address. */
export interface HttpAdmission<All extends Services = Services> extends Admission<All> {
  readonly address: string;
  /**
   * The connection, if it belongs to the client. Undefined for a proxy's connection, which may carry requests
   * from many clients.
   */
  readonly connection: object | undefined;
}

/** Authenticates an HTTP request and finds its mesh (ENTER-1). */
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
    const admission = await authenticator.authenticateRequest({
      origin,
      method: c.req.method,
      readHeader: (name) => c.req.header(name),
      isForMcp: forMcp,
    });
    return { ...admission, address: origin.address, connection };
  };
}

/** The context of an HTTP request, with Node's own request and response. */
export type HttpContext = Context<{ Bindings: HttpBindings }>;

/**
 * Runs a callback once the response has been written in full, but not if the connection broke before that.
 */
export function onResponseWritten({ env }: HttpContext, run: () => void): void {
  // Node also emits "finish" if the connection was reset while the response was being written.
  env.outgoing.once("finish", () => {
    if (!env.incoming.socket.destroyed) run();
  });
}

/** Returns a signal that is aborted if the caller disconnects before it gets a reply. */
export function createCallerSignal({ env }: HttpContext): AbortSignal {
  const controller = new AbortController();
  env.outgoing.once("close", () => {
    if (!env.outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}
