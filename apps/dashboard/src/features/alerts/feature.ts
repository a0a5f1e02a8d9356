import type { Feature } from "@/parts/feature";

export const alerts: Feature = {
  settings: () => import("./settings"),
};
