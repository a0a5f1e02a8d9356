import type { MeshChangedKind } from "@merkle/wire";
import type { BrokerClient } from "../../broker/broker-client.js";
import { openLiveClient } from "../../broker/live-client.js";
import type { CommandContext } from "../../command/command.js";
import { exitCodes, interruptedError } from "../../core/cli-error.js";
import { cutToWidth } from "../../text/table.js";
import { terminalOf } from "./run-watch.js";
import { takeScreen } from "./screen.js";

/** A list as it is now: for programs, and for people. */
export interface ShownList {
  readonly value: unknown;
  readonly text: string;
}

interface WatchedList {
  readonly context: CommandContext;
  readonly broker: BrokerClient;
  /** The changes that it shows. */
  readonly kinds: readonly MeshChangedKind[];
  read(): Promise<ShownList>;
}

/** Ages grow without anybody saying so. */
const refreshedEachMs = 5_000;

/**
 * Shows a list of the mesh anew whenever it has changed, until `q` or Ctrl+C: on the whole terminal, or where there is none one
 * list after the other, with `--json` a line each.
 */
export async function watchList({ context, broker, kinds, read }: WatchedList): Promise<number> {
  const { signal, output } = context;
  const client = await openLiveClient(broker.address, signal);
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);
  let isOld = true;
  let wake: () => void = () => undefined;
  const refresh = () => {
    isOld = true;
    wake();
  };
  // Its columns are laid out for the width that there is.
  const screen = startScreen(context, { end: (reason) => ended.abort(reason), onResize: refresh });
  const ageing = screen && setInterval(refresh, refreshedEachMs);
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
      if (!isOld) await new Promise<void>((resolve) => (wake = resolve));
      if (stopped.aborted) break;
      isOld = false;
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

/** The whole terminal, where there is one. */
function startScreen(
  context: CommandContext,
  { end, onResize }: { end(reason: "quit" | "interrupted"): void; onResize(): void },
) {
  const terminal = terminalOf(context);
  if (!terminal) return undefined;
  const { output } = context;
  let shown: string[] = [];
  const screen = takeScreen({
    ...terminal,
    onKey: (key) => {
      if (key.is === "interrupt") end("interrupted");
      else if (key.is === "text" && key.text.startsWith("q")) end("quit");
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
