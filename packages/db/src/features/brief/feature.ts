// needs: ["state"]

export * from "./brief.js";
