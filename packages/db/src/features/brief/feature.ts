// needs: ["jobs", "state"]

export * from "./brief.js";
