import type { Feature } from "@/parts/feature";

export const audit: Feature = {};
