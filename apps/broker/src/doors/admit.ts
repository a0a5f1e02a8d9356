import type { Arrivals } from "../access/arrival.js";
import type { Admission, Entrance } from "../identity/entrance.js";
import type { HttpContext } from "./http-context.js";

/** Finds out who sends a request over HTTP, and to which mesh it is let in (ENTER-1). */
export type Admit = (c: HttpContext) => Promise<Admission>;

export function createAdmit(entrance: () => Entrance, arrivals: Arrivals): Admit {
  return (c) =>
    entrance().byRequest({
      arrival: arrivals.read(c.env.incoming),
      method: c.req.method,
      header: (name) => c.req.header(name),
    });
}
