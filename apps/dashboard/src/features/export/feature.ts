import type { Feature } from "@/parts/feature";

/** This feature adds no pages. Other features use its link and its download. */
export const exports: Feature = {};
