import type { Arrivals } from "../../identity/origin/arrival.js";
import type { Admission, Authenticator } from "../services.js";
import type { HttpContext } from "./http-context.js";

/** Who has been let in over HTTP, and from where. */
export interface HttpAdmission extends Admission {
  readonly address: string;
  /** The connection, where it is the client's own: a proxy's may carry requests of many. */
  readonly connection: object | undefined;
}

/** Finds out who sends a request over HTTP, and to which mesh it is let in (ENTER-1). */
export type Admit = (c: HttpContext) => Promise<HttpAdmission>;

export function createAdmit(authenticator: Authenticator, arrivals: Arrivals): Admit {
  return async (c) => {
    const arrival = arrivals.read(c.env.incoming);
    const admission = await authenticator.byRequest({
      arrival,
      method: c.req.method,
      header: (name) => c.req.header(name),
    });
    const connection = arrivals.isDirect(c.env.incoming) ? c.env.incoming.socket : undefined;
    return { ...admission, address: arrival.address, connection };
  };
}
