import type { MeshChangedKind } from "@merkle/wire";
import type { BrokerClient } from "../../broker/broker-client.js";
import { openLiveClient } from "../../broker/live-client.js";
import type { CommandContext } from "../../command/command.js";
import { exitCodes, interruptedError } from "../../core/cli-error.js";
import { cutToWidth } from "../../text/display-width.js";
import { findTerminal } from "./run-watch.js";
import { takeScreen } from "./screen.js";

/** The list to show: as a value for programs, and as text for people. */
export interface ShownList {
  readonly value: unknown;
  readonly text: string;
}

interface WatchedList {
  readonly context: CommandContext;
  readonly broker: BrokerClient;
  /** The kinds of changes in the mesh that affect the list. */
  readonly kinds: readonly MeshChangedKind[];
  read(): Promise<ShownList>;
}

/** How often ages are refreshed, because ages change even when no event arrives. */
const refreshIntervalMs = 5_000;

/**
 * Shows a list and refreshes it on changes in the mesh, until `q` or Ctrl+C. Without a terminal, prints one
 * list after another. With `--json`, prints one line per list.
 */
export async function watchList({ context, broker, kinds, read }: WatchedList): Promise<number> {
  const { signal, output } = context;
  const client = await openLiveClient(broker.address, signal);
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);
  let isStale = true;
  let wake: () => void = () => undefined;
  const refresh = () => {
    isStale = true;
    wake();
  };
  // The list must be laid out again when the terminal is resized.
  const screen = startScreen(context, { end: (reason) => ended.abort(reason), onResize: refresh });
  const ageing = screen && setInterval(refresh, refreshIntervalMs);
  stopped.addEventListener("abort", () => wake());
  try {
    const watch = client.watchMesh({
      onChanged: ({ kind }) => kinds.includes(kind) && refresh(),
      onRestored: refresh,
      onError: (error) => ended.abort(error),
    });
    await watch.ready;
    let last = "";
    while (!stopped.aborted) {
      if (!isStale) await new Promise<void>((resolve) => (wake = resolve));
      if (stopped.aborted) break;
      isStale = false;
      const list = await read();
      const text = output.json ? JSON.stringify(list.value) : list.text;
      if (screen) screen.show(text);
      else if (text !== last && !(await output.writeLine(output.json ? text : `${text}\n`))) break;
      last = text;
    }
  } finally {
    clearInterval(ageing);
    screen?.restore();
    await client.close();
  }
  if (ended.signal.reason instanceof Error) throw ended.signal.reason;
  if (signal.aborted || ended.signal.reason === "interrupted") throw interruptedError();
  return exitCodes.done;
}

/** Takes over the terminal, or returns undefined without a terminal. */
function startScreen(
  context: CommandContext,
  { end, onResize }: { end(reason: "quit" | "interrupted"): void; onResize(): void },
) {
  const terminal = findTerminal(context);
  if (!terminal) return undefined;
  const { output } = context;
  let shown: string[] = [];
  const screen = takeScreen({
    ...terminal,
    onKey: (key) => {
      if (key.kind === "interrupt") end("interrupted");
      else if (key.kind === "text" && key.text.startsWith("q")) end("quit");
    },
    onResize: () => {
      draw();
      onResize();
    },
  });
  const draw = () => {
    const foot = output.dim(cutToWidth("q quit", screen.columns, output.signs.more));
    screen.draw([...shown.slice(0, screen.rows - 2), "", foot], null);
  };
  return {
    show(text: string) {
      shown = text.split("\n");
      draw();
    },
    restore: screen.restore,
  };
}
