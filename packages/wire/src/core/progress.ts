/** Interval of progress notifications to a waiting caller. */
const everyMs = 10_000;

/** An MCP progress notification for the token that came with a request. */
export interface Progress {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/**
 * Runs a call that may block, and reports progress every ten seconds, because some clients give up on a
 * silent call (MCP-15). Without a token nothing is reported.
 */
export async function withProgress<Result>(
  token: string | number | undefined,
  send: (progress: Progress) => Promise<void>,
  run: () => Promise<Result>,
): Promise<Result> {
  if (token === undefined) return run();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += everyMs / 1_000;
    // A failure is ignored: when the client disconnects, the call ends for that reason anyway.
    send({ progressToken: token, progress: seconds, message: "waiting for messages" }).catch(() => undefined);
  }, everyMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
