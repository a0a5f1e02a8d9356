import type { Feature } from "../../feature.js";
import { mountA2a } from "./mount-a2a.js";

/** Lets agents take part in sessions over the A2A protocol. */
export const a2aFeature = {
  name: "a2a",
  needs: [],
  mount: mountA2a,
} satisfies Feature;
