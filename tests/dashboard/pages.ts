import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Returns the folder that contains the dashboard's exported pages. */
export function findDashboardPages(): string {
  const pages = fileURLToPath(new URL("../../apps/dashboard/out", import.meta.url));
  if (!existsSync(pages)) {
    throw new Error("The dashboard has not been built. Run: npm run build -w @merkle/dashboard");
  }
  return pages;
}
