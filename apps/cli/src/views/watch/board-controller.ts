import type { ReadStream, WriteStream } from "node:tty";
import type { Session } from "@merkle/wire";
import type { BrokerClient } from "../../broker/broker-client.js";
import type { CommandContext } from "../../command/command.js";
import { toDashboardUrl } from "../../core/address.js";
import { explainError } from "../../core/explain-error.js";
import { findBrowser, openBrowser } from "../../core/open-browser.js";
import { getSessionActor } from "../../identity/actors.js";
import { type Board, type BoardFacts, type FormattedMessage, filters } from "./board.js";
import { layOut } from "./lay-out.js";
import { type TerminalKey, takeScreen } from "./screen.js";

interface BoardOptions {
  readonly stdin: ReadStream;
  readonly stdout: WriteStream;
  readonly context: CommandContext;
  readonly broker: BrokerClient;
  readonly session: Session;
  readonly facts: BoardFacts;
  readonly readFacts: () => Promise<BoardFacts>;
  /** Called when the user leaves the screen. */
  readonly end: (reason: "quit" | "interrupted") => void;
}

export interface BoardController {
  add(entry: FormattedMessage): void;
  /** Returns a displayed message, or undefined. */
  find(sequence: number): FormattedMessage | undefined;
  /** Redraws a message that has changed. */
  replace(entry: FormattedMessage): void;
  /** Shows text on the last line. */
  showNotice(this: void, text: string): void;
  /** Reads the facts shown above the feed again. */
  refresh(this: void): void;
  /** Restores the terminal and stops all timers. */
  stop(): void;
}

const messagesMax = 500;
const drawDelayMs = 50;
const refreshDelayMs = 500;
/** How often ages and presence are refreshed, because both change even when no event arrives. */
const refreshIntervalMs = 5_000;

/** Draws a board on the terminal whenever it changes, and handles key presses. */
export function startBoard(options: BoardOptions): BoardController {
  const { context, broker, session, end } = options;
  let board: Board = { facts: options.facts, filter: "all", messages: [], draft: null, notice: "" };
  let drawTimer: NodeJS.Timeout | undefined;
  let refreshTimer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const screen = takeScreen({
    stdin: options.stdin,
    stdout: options.stdout,
    onKey,
    onResize: () => change({}),
  });
  const ageing = setInterval(refresh, refreshIntervalMs);

  function change(part: Partial<Board>): void {
    board = { ...board, ...part };
    if (!isStopped) drawTimer ??= setTimeout(draw, drawDelayMs);
  }

  function draw(): void {
    drawTimer = undefined;
    const { lines, cursor } = layOut(board, screen, context.output);
    screen.draw(lines, cursor);
  }

  function refresh(): void {
    if (!isStopped) refreshTimer ??= setTimeout(() => void refreshFacts(), refreshDelayMs);
  }

  async function refreshFacts(): Promise<void> {
    // While the connection is lost, keep the last known facts. The last line of the screen reports the lost
    // connection.
    const facts = await options.readFacts().catch(() => board.facts);
    refreshTimer = undefined;
    change({ facts });
  }

  function showNotice(text: string): void {
    change({ notice: text });
  }

  function onKey(key: TerminalKey): void {
    if (key.kind === "interrupt") end("interrupted");
    else if (board.draft !== null) write(board.draft, key);
    else if (key.kind === "text") {
      const [letter = "", ...rest] = key.text;
      press(letter);
      // Keys that are typed quickly arrive together. The first letter may have started another mode, which
      // handles the rest.
      if (rest.length > 0) onKey({ kind: "text", text: rest.join("") });
    }
  }

  function press(letter: string): void {
    switch (letter) {
      case "q":
        return end("quit");
      case "f":
        return change({ filter: filters[(filters.indexOf(board.filter) + 1) % filters.length] ?? "all" });
      case "c":
        return change({ draft: "", notice: "" });
      case "o":
        return void openDashboard();
    }
  }

  function write(draft: string, key: TerminalKey): void {
    switch (key.kind) {
      case "text":
        return change({ draft: draft + key.text });
      case "backspace":
        return change({ draft: [...draft].slice(0, -1).join("") });
      case "clear":
        return change({ draft: "" });
      case "escape":
        return change({ draft: null });
      case "enter":
        if (draft.trim() === "") return change({ draft: null });
        return void postDraft(draft);
    }
  }

  /**
   * Posts the typed text. If that fails, the text becomes the draft again, so that the user can send it
   * later.
   */
  async function postDraft(text: string): Promise<void> {
    change({ draft: null, notice: "posting" });
    try {
      const actor = await getSessionActor(session, { broker, config: context.config });
      const { cursor } = await actor.call("post_message", {
        session_id: session.session_id,
        content: { text },
      });
      showNotice(`#${cursor} posted`);
    } catch (error) {
      change({ draft: text, notice: `not posted: ${explainError(error).message}` });
    }
    refresh();
  }

  async function openDashboard(): Promise<void> {
    const url = toDashboardUrl(broker.base, session);
    const browser = findBrowser(context.io.env);
    showNotice(
      browser && (await openBrowser(browser, url)) ? `opened ${url}` : `open it on your machine: ${url}`,
    );
  }

  draw();
  return {
    add(entry) {
      change({ messages: [...board.messages, entry].slice(-messagesMax) });
      refresh();
    },
    find: (sequence) => board.messages.find(({ message }) => message.sequence === sequence),
    replace(entry) {
      const isSame = ({ message }: FormattedMessage) => message.sequence === entry.message.sequence;
      change({ messages: board.messages.map((each) => (isSame(each) ? entry : each)) });
    },
    showNotice,
    refresh,
    stop() {
      isStopped = true;
      clearTimeout(drawTimer);
      clearTimeout(refreshTimer);
      clearInterval(ageing);
      screen.restore();
    },
  };
}
