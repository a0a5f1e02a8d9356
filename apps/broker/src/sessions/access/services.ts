import type { IdentityServices } from "../../identity/context.js";
import type { Presence } from "../peers/presence.js";
import type { Credentials } from "./credentials.js";

/** The services that authenticate a caller as a team or person. */
export interface AccessServices extends IdentityServices {
  readonly credentials: Credentials;
  readonly presence: Presence;
}
