import type { Log } from "../../core/log.js";
import type { ProgressLogLevel } from "./summariser.js";

const levels = ["debug", "info", "warn", "error"] as const;

/** Returns a log for progress that omits entries below the level. Errors are always logged. */
export function atLevel(log: Log, level: ProgressLogLevel): Log {
  const isTold = (each: ProgressLogLevel) => levels.indexOf(each) >= levels.indexOf(level);
  return {
    info: (message, fields) => isTold("info") && log.info(message, fields),
    warn: (message, fields) => isTold("warn") && log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
  };
}
