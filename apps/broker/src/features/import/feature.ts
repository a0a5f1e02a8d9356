import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { ExportServices } from "../export/feature.js";
import { mountImport } from "./mount-import.js";

export { importBundle, verifySpooled } from "./import-bundle.js";
export { clearSpool, type Spooled, spoolBytes } from "./spool.js";

/** Records of other brokers. */
export const importFeature = {
  name: "import",
  needs: ["export", "seal"],
  mount: mountImport,
} satisfies Feature<ExportServices & Services>;
