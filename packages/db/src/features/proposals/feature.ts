// needs: ["topics"]

export * from "./attention.js";
export * from "./proposals.js";
