import type { Feature } from "@/parts/feature";

export const alerts: Feature = {
  loadSettings: () => import("./settings"),
};
