import type { Database, StoredMessage } from "@merkle/db";
import type { Traces } from "../core/traces.js";
import type { Appender } from "./appender.js";

/** Wraps each post in a span. If tracing is off, the appender is used directly. */
export function tracePosts(appender: Appender, traces: Traces): Appender {
  return {
    append: (row) => traces.post(row, appender.append(row)),
    get queuedBytes() {
      return appender.queuedBytes;
    },
    stop: appender.stop,
  };
}

/** Wraps each append query in spans, one for each message in the batch. */
export function traceCommits(
  { append, appendWaiting }: Pick<Database, "append" | "appendWaiting">,
  traces: Traces,
): Pick<Database, "append" | "appendWaiting"> {
  return {
    append: (rows) => traces.commit(rows, append(rows)),
    appendWaiting: (rows) => traces.commit(rows, appendWaiting(rows)),
  };
}

export function tracePosted(
  deliver: (posted: readonly StoredMessage[]) => void,
  traces: Traces,
): (posted: readonly StoredMessage[]) => void {
  return (posted) => {
    deliver(posted);
    traces.recordHints(posted);
  };
}
