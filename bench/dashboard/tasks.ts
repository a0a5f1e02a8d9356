import type { Page } from "playwright-core";

/** The tasks that a page's main thread ran during the measured work. */
export interface Tasks {
  /** CPU time of each task. Unlike elapsed time, it is independent of other programs on the machine. */
  readonly processorMs: readonly number[];
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** CPU time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Runs work in the only open page, and returns the tasks of its main thread. */
export async function traceTasks<T>(page: Page, work: () => Promise<T>): Promise<readonly [T, Tasks]> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("The page belongs to no browser.");
  await browser.startTracing(page, { categories: ["toplevel"] });
  const result = await work();
  // The browser's trace file has this format.
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[];
  };
  const threads = traceEvents
    .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
    .map(({ pid, tid }) =>
      traceEvents.flatMap((event) =>
        event.pid === pid && event.tid === tid && event.ph === "X" && event.name.endsWith("RunTask")
          ? [(event.tdur ?? 0) / 1_000]
          : [],
      ),
    );
  // Threads of spare renderers for the next page are nearly idle, so the busiest thread is the page's main thread.
  const [busiest = []] = threads.sort((one, other) => sum(other) - sum(one));
  return [result, { processorMs: busiest }];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
