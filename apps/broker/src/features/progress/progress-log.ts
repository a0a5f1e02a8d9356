import type { Log } from "../../core/log.js";
import type { ProgressLogLevel } from "./summariser.js";

const levels = ["debug", "info", "warn", "error"] as const;

/** Returns a log for progress that omits entries below the level. Errors are always logged. */
export function limitLogLevel(log: Log, level: ProgressLogLevel): Log {
  const isLogged = (each: ProgressLogLevel) => levels.indexOf(each) >= levels.indexOf(level);
  return {
    info: (message, fields) => isLogged("info") && log.info(message, fields),
    warn: (message, fields) => isLogged("warn") && log.warn(message, fields),
    error: (message, fields) => log.error(message, fields),
  };
}
