import type { DashboardPart } from "../measurement.js";

interface MeasuredPage {
  readonly what: string;
  readonly bytes: number;
  readonly bytesMax: number;
}

/** The size of the scripts that the exported pages load. */
export const scripts: DashboardPart = {
  name: "scripts",
  limitMs: 60_000,
  async measure() {
    // The imported script has no type declarations, so its type is declared here.
    const size = (await import(new URL("../../../scripts/dashboard-size.mjs", import.meta.url).href)) as {
      measurePages(): readonly MeasuredPage[];
    };
    return size.measurePages().map(({ what, bytes, bytesMax }) => ({
      name: `scripts, gzip: ${what}`,
      value: bytes / 1_000,
      unit: "kB",
      budget: { atMost: bytesMax / 1_000 },
      isRequired: true,
    }));
  },
};
