export * from "./heads.js";
export * from "./tiles.js";
