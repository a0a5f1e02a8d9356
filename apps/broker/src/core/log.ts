/** Logs one JSON object per line. Callers log ids and never inputs, so the log contains no secrets. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Creates a log that passes finished lines to `write`. */
export function createLog(write: (line: string) => void): Log {
  const createLevelLog =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }, replaceErrors));
  return { info: createLevelLog("info"), warn: createLevelLog("warn"), error: createLevelLog("error") };
}

function replaceErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const code = "code" in value ? value.code : undefined;
  const because = cause === undefined ? {} : { cause };
  // The message and stack of a failed query contain its parameters, which are callers' input.
  if ("params" in value) return { name, message: message.split("\nparams:")[0], code, ...because };
  return { name, message, code, stack, ...because };
}
