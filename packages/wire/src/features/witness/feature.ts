// needs: ["seal"]
/** The log of a mesh, and the witnesses that cosign it. */
export { rules } from "./rules.js";
