export * from "./timeline.js";
