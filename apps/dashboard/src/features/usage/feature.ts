import type { Feature } from "@/parts/feature";

export const usage: Feature = {
  loadSettings: () => import("./settings"),
};
