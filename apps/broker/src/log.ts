/** Writes what happens as one JSON object a line. Secrets never reach it: callers pass ids, not inputs. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** A log that gives finished lines to `write`. */
export function createLog(write: (line: string) => void): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      write(JSON.stringify({ at: new Date().toISOString(), level, message, ...fields }, errorsAsText));
  return { info: at("info"), warn: at("warn"), error: at("error") };
}

function errorsAsText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const code = "code" in value ? value.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause }) };
}
