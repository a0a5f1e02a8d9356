import type { Feature } from "@/parts/feature";

export const usage: Feature = {
  settings: () => import("./settings"),
};
