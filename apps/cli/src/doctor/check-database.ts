import { inspectDatabase } from "@merkle/broker";
import { explainError } from "../core/explain-error.js";
import { type Check, fail, ok } from "../start/doctor/check.js";

/** Whether a broker could use its database; the embedded one is started for this when none runs. */
export const checkDatabase: Check = async ({ config, signal }) => {
  signal.throwIfAborted();
  try {
    const { kind, version, fsync, writable, hasData } = await inspectDatabase(config);
    const name =
      kind === "embedded" ? `embedded PostgreSQL ${version}` : `PostgreSQL ${version} of DATABASE_URL`;
    if (!fsync)
      return [fail("database", `${name} runs with fsync off`, "set fsync = on and restart the server")];
    if (!writable)
      return [fail("database", `${name} is read-only`, "point DATABASE_URL at the primary server")];
    return [ok("database", `${name}, fsync on${hasData ? "" : ", no data yet"}`)];
  } catch (error) {
    // Such an error says first what is wrong, and then what to do.
    const [problem = "", ...advice] = explainError(error).message.split(". ");
    return [fail("database", problem, advice.join(". ") || "merkle up -v shows more")];
  }
};
