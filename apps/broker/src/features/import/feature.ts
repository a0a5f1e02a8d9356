import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { ExportServices } from "../export/feature.js";
import { mountImport } from "./mount-import.js";
import { clearSpool } from "./spool.js";

export { importBundle, verifySpooled } from "./import-bundle.js";
export { type SpooledFile, spoolBytes } from "./spool.js";

/** Imports session records from other brokers. */
export const importFeature = {
  name: "import",
  needs: ["export", "redaction", "seal"],
  mount: mountImport,
  /** Removes unused files that an earlier run of the broker left behind. */
  async start({ home }: StartParts): Promise<object> {
    await clearSpool(home);
    return {};
  },
} satisfies Feature<ExportServices & Services>;
