/**
 * Runs `work` until it ends, or until the process that started this one is gone or says that it is enough: both close
 * our stdin.
 */
export async function untilParentGone<Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { stdin } = process;
  const gone = new AbortController();
  const end = () => gone.abort();
  stdin.on("end", end).on("close", end).on("error", end).resume();
  try {
    return await work(AbortSignal.any([signal, gone.signal]));
  } finally {
    stdin.off("end", end).off("close", end).destroy();
  }
}
