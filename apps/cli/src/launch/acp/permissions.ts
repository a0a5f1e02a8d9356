import type { AcpPermission, PermissionOption } from "../../clients/acp-session.js";
import type { AcpCall } from "../../clients/client.js";
import { type PermissionReport, sendToServer } from "../../clients/client-socket.js";
import { waitForAbort } from "../../core/wait-for-abort.js";
import { toOneLine } from "../../text/one-line.js";
import type { AcpView } from "./view.js";

/**
 * Asks the agent's person on the devices that the launch names. Resolves with undefined if the person leaves the
 * answer to the terminal, or gave none. Withdraws the request when `ended` is aborted.
 */
export type AskPerson = (
  request: PermissionReport & {
    /** Whether the agent reports that the tool runs a command. */
    readonly runsCommand: boolean;
  },
  ended: AbortSignal,
) => Promise<PersonAnswer | undefined>;

export interface PersonAnswer {
  readonly isAllowed: boolean;
  /** The person's words to the agent, if it was denied. */
  readonly words: string | null;
}

/** Answers an agent's permission requests. They are shown at the terminal one by one. */
export interface Permissions {
  /** Whether a request is shown, so that the next typed line answers it. */
  readonly isOpen: boolean;
  answerTyped(line: string): void;
  /**
   * Asks at the terminal and on the person's devices; the first answer decides. Resolves with null if the agent
   * withdrew the request.
   */
  answer(permission: AcpPermission): Promise<PermissionOption | null>;
}

interface PermissionsOptions {
  readonly acp: Pick<AcpCall, "socket">;
  readonly askPerson: AskPerson | undefined;
  readonly view: Pick<AcpView, "showQuestion" | "showHint">;
  /** Resolves when nothing can be typed any more. */
  readonly typing: { readonly ended: Promise<void> };
  /** Prompts the agent with a line. */
  readonly addTyped: (line: string) => void;
  /** Aborted when the agent ends. */
  readonly ended: AbortSignal;
}

interface Question {
  readonly permission: AcpPermission;
  resolve(option: PermissionOption): void;
}

export function createPermissions(options: PermissionsOptions): Permissions {
  const { acp, askPerson, view, typing, addTyped, ended } = options;
  const open: Question[] = [];
  let lastReport: Promise<unknown> = Promise.resolve();

  function remove(question: Question): void {
    const index = open.indexOf(question);
    if (index < 0) return;
    open.splice(index, 1);
    const [next] = open;
    if (index === 0 && next) view.showQuestion(next.permission);
  }

  /** Resolves with the option that was typed, or that rejects if nothing can be typed any more. */
  function askAtTerminal(permission: AcpPermission, over: AbortSignal): Promise<PermissionOption | null> {
    return new Promise((resolve) => {
      const question = { permission, resolve };
      open.push(question);
      over.addEventListener("abort", () => remove(question), { once: true });
      if (open.length === 1) view.showQuestion(permission);
      if (!askPerson) void typing.ended.then(() => resolve(findOption(permission, "reject_once")));
    });
  }

  async function askOnDevices(
    ask: AskPerson,
    { permission, request, over }: RelayedPermission,
  ): Promise<PermissionOption | null> {
    const runsCommand = permission.tool.kind === "execute";
    const answer = await ask({ ...request, runsCommand }, over).catch(() => undefined);
    // Only an option that applies once corresponds to the person's answer.
    const option = answer && findOption(permission, answer.isAllowed ? "allow_once" : "reject_once");
    if (!answer || (answer.isAllowed && !option)) {
      await typing.ended;
      return findOption(permission, "reject_once");
    }
    if (!over.aborted)
      view.showHint(`${answer.isAllowed ? "Allowed" : "Denied"} on a device: ${request.tool}`);
    if (answer.words !== null) addTyped(`Your user denied ${request.tool}: ${answer.words}`);
    return option ?? null;
  }

  return {
    get isOpen() {
      return open.length > 0;
    },
    answerTyped(line) {
      const [question] = open;
      if (!question) return;
      const option = parseAnswer(line.trim().toLowerCase(), question.permission);
      if (option) return question.resolve(option);
      view.showHint(`Answer with a number from 1 to ${question.permission.options.length}, y or n.`);
    },
    async answer(permission) {
      const answered = new AbortController();
      const over = AbortSignal.any([permission.signal, ended, answered.signal]);
      const request = toRequest(permission);
      report(request);
      try {
        return await Promise.race([
          waitForAbort(over).then(() => null),
          askAtTerminal(permission, over),
          ...(askPerson ? [askOnDevices(askPerson, { permission, request, over })] : []),
        ]);
      } finally {
        answered.abort();
        report(null);
      }
    },
  };

  /** Reports to the MCP server, in order, that the agent waits for its user (WAKE-18). */
  function report(permission: PermissionReport | null): void {
    lastReport = lastReport.then(() => sendToServer({ permission }, { path: acp.socket }));
  }
}

interface RelayedPermission {
  readonly permission: AcpPermission;
  readonly request: PermissionReport;
  readonly over: AbortSignal;
}

/** Finds the option by its kind, because agents name the options differently. */
function findOption({ options }: AcpPermission, kind: PermissionOption["kind"]): PermissionOption | null {
  return options.find((each) => each.kind === kind) ?? null;
}

/** Parses the number of an option. `y` and `n` stand for allowing and rejecting once. */
function parseAnswer(word: string, permission: AcpPermission): PermissionOption | null {
  if (word === "y") return findOption(permission, "allow_once");
  if (word === "n") return findOption(permission, "reject_once");
  return /^[1-9]\d*$/.test(word) ? (permission.options[Number(word) - 1] ?? null) : null;
}

/** The maximum length of a tool's name in an approval request. */
const toolCharsMax = 200;

/** Converts a request to what people are shown. A title that does not fit is shown whole with the arguments. */
function toRequest({ tool: { title, input, texts } }: AcpPermission): PermissionReport {
  const tool = toOneLine(title);
  const details = { ...input, ...(texts.length > 0 && { details: texts }) };
  const isCut = tool.length > toolCharsMax;
  return { tool: tool.slice(0, toolCharsMax) || "tool", input: isCut ? { title, ...details } : details };
}
