import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { mountExport } from "./mount-export.js";
import type { ExportServices } from "./services.js";

export { exportSession } from "./export-session.js";
export { keepRecordPage } from "./record-page.js";
export { openRecorded } from "./recorded.js";
export type { ExportServices } from "./services.js";

/** Records as files. */
export const exportFeature = {
  name: "export",
  needs: ["seal"],
  mount: mountExport,
} satisfies Feature<ExportServices & Services>;
