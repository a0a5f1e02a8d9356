import type { Feature } from "@/parts/feature";

export const personas: Feature = {
  settings: () => import("./settings"),
};
