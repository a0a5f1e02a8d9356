import type { SessionServices } from "../../sessions/context.js";
import type { Summariser } from "./summariser.js";

export interface ProgressServices extends SessionServices {
  readonly summariser: Summariser;
}
