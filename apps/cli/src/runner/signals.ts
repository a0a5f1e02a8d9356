export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

export function signalGroup(pid: number, name: NodeJS.Signals): void {
  signal(-pid, name);
}

/**
 * Tells each of these processes to end, once. One that passes signals on would tell its child a second time, which some
 * programs take as an order to leave everything as it is: it is told where there is nobody else yet.
 */
export function askToEnd(pids: readonly number[], passingOn?: number): void {
  const others = pids.filter((pid) => pid !== passingOn);
  for (const pid of others.length > 0 ? others : pids) signal(pid, "SIGTERM");
}
