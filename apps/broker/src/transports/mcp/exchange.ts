import { type HttpAdmission, type HttpContext, onResponseWritten } from "../http/admit.js";

/** An HTTP request to the MCP transport, with its authenticated sender. */
export interface Exchange extends OpenExchange {
  readonly admission: HttpAdmission;
}

/** A request before its sender is authenticated, with the outcome of its response. */
export interface OpenExchange {
  readonly c: HttpContext;
  readonly url: URL;
  readonly headers: Headers;
  /** Resolves once the response has been written in full, or once its connection has broken. */
  readonly ended: Promise<"written" | "broken">;
}

/**
 * Starts watching a request's connection. Call before the first `await`, so that the end of the
 * connection is not missed.
 */
export function openExchange(c: HttpContext): OpenExchange {
  const { incoming, outgoing } = c.env;
  const ended = new Promise<"written" | "broken">((resolve) => {
    // Node also emits "finish" if the socket broke while part of the response was still in its
    // buffer.
    onResponseWritten(c, () => resolve(incoming.socket.destroyed ? "broken" : "written"));
    outgoing.once("close", () => resolve("broken"));
  });
  return { c, url: new URL(c.req.url), headers: c.req.raw.headers, ended };
}
