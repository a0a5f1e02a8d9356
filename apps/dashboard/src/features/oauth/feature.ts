import type { Feature } from "@/parts/feature";

/** The route files in `app/` that belong to this feature. */
export const stubs = ["authorize/page.tsx"];

export const oauth: Feature = {};
