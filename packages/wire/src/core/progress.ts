/** Interval at which a waiting caller gets progress notifications. */
const intervalMs = 10_000;

/** An MCP progress notification. Its token comes from the request. */
export interface Progress {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/**
 * Runs a call that may take a while, and reports progress every ten seconds, because some clients abort a
 * silent call (MCP-15). If there is no token, nothing is reported.
 */
export async function withProgress<Result>(
  token: string | number | undefined,
  send: (progress: Progress) => Promise<void>,
  run: () => Promise<Result>,
): Promise<Result> {
  if (token === undefined) return run();
  let seconds = 0;
  const timer = setInterval(() => {
    seconds += intervalMs / 1_000;
    // Ignores a failed notification. If the client has disconnected, the call itself will end because of
    // that.
    send({ progressToken: token, progress: seconds, message: "waiting for messages" }).catch(() => undefined);
  }, intervalMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
