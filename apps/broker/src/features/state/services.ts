import type { DocumentServices } from "../../document/services.js";
import type { StateAnnouncer } from "./state-announcer.js";

export interface StateServices extends DocumentServices {
  readonly stateAnnouncer: StateAnnouncer;
}
