import type { Log } from "../../core/log.js";
import type { ProgressLogLevel } from "./summariser.js";

const levels = ["debug", "info", "warn", "error"] as const;

/** The log of what concerns progress, without entries below the level. */
export function atLevel(log: Log, level: ProgressLogLevel): Log {
  const isTold = (each: ProgressLogLevel) => levels.indexOf(each) >= levels.indexOf(level);
  return {
    info: (message, fields) => isTold("info") && log.info(message, fields),
    warn: (message, fields) => isTold("warn") && log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
  };
}
