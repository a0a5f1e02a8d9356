/** How often a caller that waits is told that it is still waited for. */
const everyMs = 10_000;

/** As MCP has it: how far a request is, for the token that came with it. */
export interface Progress {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message: string;
}

/**
 * Runs what may block, and tells meanwhile, every ten seconds, that it still does: some clients give a call up in whose
 * time they hear nothing (MCP-15). Without a token nothing is told.
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
    // A client that has gone needs no word; its going ends the call itself.
    send({ progressToken: token, progress: seconds, message: "waiting for messages" }).catch(() => undefined);
  }, everyMs);
  try {
    return await run();
  } finally {
    clearInterval(timer);
  }
}
