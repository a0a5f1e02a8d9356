import { type HttpAdmission, type HttpContext, whenWritten } from "../http/admit.js";

/** One HTTP request at the MCP transport, and who sends it. */
export interface Exchange extends OpenExchange {
  readonly admission: HttpAdmission;
}

/** A request whose sender is not known yet, and what becomes of its response. */
export interface OpenExchange {
  readonly c: HttpContext;
  readonly url: URL;
  readonly headers: Headers;
  /** Resolves when the response has been written in full, or its connection broke before. */
  readonly ended: Promise<"written" | "broken">;
}

/** Begins to watch a request's connection; to be called before anything is awaited, so that no end goes unseen. */
export function openExchange(c: HttpContext): OpenExchange {
  const { incoming, outgoing } = c.env;
  const ended = new Promise<"written" | "broken">((resolve) => {
    // Node also says "finish" when the socket broke with a part of the response still in its buffer.
    whenWritten(c, () => resolve(incoming.socket.destroyed ? "broken" : "written"));
    outgoing.once("close", () => resolve("broken"));
  });
  return { c, url: new URL(c.req.url), headers: c.req.raw.headers, ended };
}
