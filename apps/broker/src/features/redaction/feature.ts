import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { SealServices } from "../seal/feature.js";
import { eraseText } from "./erase-text.js";
import { redactMessage } from "./redact-message.js";

/** Redacts text in session records. */
export const redactionFeature = {
  name: "redaction",
  needs: ["seal"],
  handlers: {
    redact_message: redactMessage,
  },
  personData: { eraseText },
} satisfies Feature<SealServices & Services>;
