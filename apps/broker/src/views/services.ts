import type { Summariser } from "../progress/summariser.js";
import type { JobServices } from "../work/jobs/services.js";
import type { DemoRooms } from "./demo/demo-rooms.js";

/** The services of what is read over all the others. */
export interface ViewServices extends JobServices {
  readonly summariser: Summariser;
  readonly demoRooms: DemoRooms;
  /** The certificate, in PEM, that the broker serves TLS with at this moment; null where it does not. */
  readonly certificate: () => { readonly cert: string } | null;
}
