import type { Feature } from "@/parts/feature";

/** Other features use its link and its download. */
export const exports: Feature = {};
