import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { ExportServices } from "../export/feature.js";
import { mountImport } from "./mount-import.js";
import { clearSpool } from "./spool.js";

export { importBundle, verifySpooled } from "./import-bundle.js";
export { type Spooled, spoolBytes } from "./spool.js";

/** Records of other brokers. */
export const importFeature = {
  name: "import",
  needs: ["export", "redaction", "seal", "tasks"],
  mount: mountImport,
  /** What an earlier broker was reading when it ended is read by nobody any more. */
  async start({ home }: StartParts): Promise<object> {
    await clearSpool(home);
    return {};
  },
} satisfies Feature<ExportServices & Services>;
