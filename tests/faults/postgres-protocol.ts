/** The kinds of commit that a group of client messages can make: a single append, or the end of a transaction. */
export type Commit = "append" | "transaction";

/** Parses the traffic between one client and PostgreSQL (protocol 3). */
export interface FrontendReader {
  /** Reads bytes from the client. Returns the commits in the message groups that these bytes complete. */
  fromClient(chunk: Buffer): readonly Commit[];
  /** Reads bytes from the server. Returns whether the server has replied to every message group. */
  fromServer(chunk: Buffer): boolean;
}

export function createFrontendReader(): FrontendReader {
  const appends = new Set<string>();
  const commits = new Set<string>();
  let clientBytes: Buffer = Buffer.alloc(0);
  let serverBytes: Buffer = Buffer.alloc(0);
  let greeted = false;
  let inTransaction = false;
  // Starts at 1, because the startup message gets a reply like a message group.
  let unanswered = 1;
  let group = new Set<Commit>();

  function note(query: string, statement: string): void {
    if (/append_messages|INSERT INTO messages/.test(query)) appends.add(statement);
    else appends.delete(statement);
    if (/^\s*commit/i.test(query)) commits.add(statement);
    else commits.delete(statement);
  }

  /** Processes one message. If this message ends its message group, returns the group's commits. */
  function take(type: string, body: Buffer): readonly Commit[] {
    if (type === "P") {
      const [statement = "", query = ""] = texts(body);
      note(query, statement);
    }
    if (type === "B") {
      const [, statement = ""] = texts(body);
      if (appends.has(statement) && !inTransaction) group.add("append");
      if (commits.has(statement)) group.add("transaction");
    }
    if (type === "Q" && /^\s*commit/i.test(texts(body)[0] ?? "")) group.add("transaction");
    if (type !== "S" && type !== "Q") return [];
    unanswered += 1;
    const ended = [...group];
    group = new Set();
    return ended;
  }

  return {
    fromClient(chunk) {
      clientBytes = Buffer.concat([clientBytes, chunk]);
      const found: Commit[] = [];
      // The startup message has no type byte.
      if (!greeted && clientBytes.length >= 4 && clientBytes.length >= clientBytes.readInt32BE(0)) {
        clientBytes = clientBytes.subarray(clientBytes.readInt32BE(0));
        greeted = true;
      }
      while (greeted && clientBytes.length >= 5) {
        const end = 1 + clientBytes.readInt32BE(1);
        if (clientBytes.length < end) break;
        found.push(...take(String.fromCharCode(clientBytes[0] ?? 0), clientBytes.subarray(5, end)));
        clientBytes = clientBytes.subarray(end);
      }
      return found;
    },
    fromServer(chunk) {
      serverBytes = Buffer.concat([serverBytes, chunk]);
      let answered = false;
      while (serverBytes.length >= 5) {
        const end = 1 + serverBytes.readInt32BE(1);
        if (serverBytes.length < end) break;
        if (serverBytes[0] === "Z".charCodeAt(0)) {
          unanswered -= 1;
          answered = unanswered === 0;
          inTransaction = serverBytes[5] !== "I".charCodeAt(0);
        }
        serverBytes = serverBytes.subarray(end);
      }
      return answered;
    },
  };
}

/** Returns the zero-terminated strings at the start of a message. */
function texts(body: Buffer): string[] {
  return body.toString("latin1").split("\0", 3);
}
