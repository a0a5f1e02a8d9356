import type { Feature } from "@/parts/feature";

export const personas: Feature = {
  loadSettings: () => import("./settings"),
};
