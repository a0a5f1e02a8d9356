import type { Page } from "playwright-core";

/** The tasks of a page's own thread while something was done in it. */
export interface Tasks {
  /** The processor's time of each, which other programs on the machine do not lengthen. */
  readonly processorMs: readonly number[];
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Does something in the only page that is open, and tells what its thread had to do for it. */
export async function traceTasks<T>(page: Page, work: () => Promise<T>): Promise<readonly [T, Tasks]> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("The page belongs to no browser.");
  await browser.startTracing(page, { categories: ["toplevel"] });
  const result = await work();
  // A file of the browser's own; this is the form that it has.
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
  // Renderers that stand by for the next page have next to nothing to do.
  const [busiest = []] = threads.sort((one, other) => sum(other) - sum(one));
  return [result, { processorMs: busiest }];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
