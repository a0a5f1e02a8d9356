import type { PageBuild } from "../../core/page-build.js";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { mountExport } from "./mount-export.js";
import { type RecordPage, watchRecordPage } from "./record-page.js";
import type { ExportServices } from "./services.js";

export { exportSession } from "./export-session.js";
export { openRecord } from "./exported-record.js";
export type { ExportServices } from "./services.js";

export interface ExportOptions {
  /** Folder of static pages, which includes the page template for HTML records. */
  readonly dashboard?: string | undefined;
  /** The build of the pages in that folder, if it is still running. */
  readonly pageBuild?: PageBuild | undefined;
}

/** Exports session records as files. */
export const exportFeature = {
  name: "export",
  needs: ["seal"],
  mount: mountExport,
  start: async ({
    options,
  }: StartParts<ExportOptions>): Promise<{ recordPage: () => RecordPage | null }> => ({
    recordPage: await watchRecordPage(options.dashboard, options.pageBuild),
  }),
} satisfies Feature<ExportServices & Services, ExportOptions>;
