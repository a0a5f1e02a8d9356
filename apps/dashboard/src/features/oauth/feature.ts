import type { Feature } from "@/parts/feature";

/** Its stubs in `app/`. */
export const stubs = ["authorize/page.tsx"];

export const oauth: Feature = {};
