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
  const because = cause === undefined ? {} : { cause };
  // A failed query's message and stack repeat its parameters, which are what callers wrote.
  if ("params" in value) return { name, message: message.split("\nparams:")[0], code, ...because };
  return { name, message, code, stack, ...because };
}
