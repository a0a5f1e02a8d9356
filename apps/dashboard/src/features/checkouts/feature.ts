import type { Feature } from "@/parts/feature";

/** Where agents work. Agents and tasks show it; it has no page of its own. */
export const checkouts: Feature = {};
