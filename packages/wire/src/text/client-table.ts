import { beyondWakingText } from "./wake-reach.js";

/**
 * What each client that Merkle launches can do for its agent, as it was tried. `merkle doctor`, the launch, the
 * documentation and the page read it here (CLI-183).
 */
export interface ClientAbilities<Name extends string = LaunchedClient> {
  /** The client's name in `--client`. */
  readonly name: Name;
  readonly label: string;
  /** The last version that was tried. */
  readonly tried: string;
  /** Whether a stand-in that follows the client's documentation was tried instead of the client itself. */
  readonly isStandIn?: true;
  /** How messages reach a running turn and its end. */
  readonly delivers: string;
  /** How fast an idle agent is woken, and by what. */
  readonly wakes: Ability;
  /** Whether permission prompts can also be answered on another device (APPROVE-1). */
  readonly approvals: Ability;
  /** Whether the questions that the agent asks can be answered there, too (APPROVE-12). */
  readonly questions: Ability;
  /** Whether what the person writes elsewhere reaches the agent as its user's words (OWN-1). */
  readonly ownWords: Ability;
  /** Whether the tokens that the agent uses are reported (USAGE-1). */
  readonly usage: Ability;
  /** Whether the client asks before it edits a file that another agent has claimed (CLAIM-5). */
  readonly claims: Ability;
}

/** Yes, no, or the condition under which it is possible. */
export type Ability = boolean | string;

export const clientTable = [
  {
    name: "claude",
    label: "Claude Code",
    tried: "2.1.330",
    delivers: "by hooks that call the server",
    wakes: "in half a second, by its inbox",
    approvals: true,
    questions: true,
    ownWords: true,
    usage: true,
    claims: true,
  },
  {
    name: "codex",
    label: "Codex",
    tried: "0.169.0",
    delivers: "by hooks that call the server",
    wakes: "in half a second if launched, otherwise within ten, by its queue",
    approvals: "if launched at its terminal, on Linux and macOS",
    questions: false,
    ownWords: true,
    usage: true,
    claims: true,
  },
  {
    name: "opencode",
    label: "OpenCode",
    tried: "1.18.33",
    delivers: "by a plugin",
    wakes: "in a second, by the plugin",
    approvals: true,
    questions: false,
    ownWords: true,
    usage: false,
    claims: false,
  },
  {
    name: "copilot",
    label: "Copilot CLI",
    tried: "1.0.102",
    delivers: "by hooks that are commands",
    wakes: "in a second if launched with /experimental on, otherwise not",
    approvals: false,
    questions: false,
    ownWords: true,
    usage: false,
    claims: false,
  },
  {
    name: "gemini",
    label: "Gemini CLI",
    tried: "0.61.0",
    delivers: "by hooks that are commands",
    wakes: false,
    approvals: false,
    questions: false,
    ownWords: true,
    usage: false,
    claims: false,
  },
  {
    name: "cursor",
    label: "Cursor",
    tried: "2026.09.10",
    isStandIn: true,
    delivers: "by hooks that are commands",
    wakes: false,
    approvals: false,
    questions: false,
    ownWords: true,
    usage: false,
    claims: false,
  },
  {
    name: "acp",
    label: "ACP agents",
    tried: "Gemini CLI 0.61.0, OpenCode 1.18.33",
    delivers: "as prompts, and within a turn if the agent can be steered",
    wakes: "in a second, by a prompt",
    approvals: true,
    questions: false,
    ownWords: true,
    usage: false,
    claims: false,
  },
] as const satisfies readonly ClientAbilities<string>[];

export type LaunchedClient = (typeof clientTable)[number]["name"];

/** Describes how messages reach the client's agents, in a turn and when they are idle. */
export function describeDelivery({ delivers, wakes }: ClientAbilities): string {
  const idle = wakes === false ? beyondWakingText : `is woken ${wakes}`;
  return `Messages arrive in a turn and at its end, ${delivers}. An idle agent ${idle}.`;
}

/** Returns a client's row of the table. */
export function getClientAbilities(name: LaunchedClient): ClientAbilities {
  const row = clientTable.find((each) => each.name === name);
  if (!row) throw new TypeError(`no client is called ${name}`);
  return row;
}

const abilityNames = {
  approvals: "approvals on other devices",
  questions: "answers to its questions there",
  ownWords: "words of its own user",
  usage: "token usage",
  claims: "warnings before it edits claimed files",
} as const satisfies Partial<Record<keyof ClientAbilities, string>>;

/** Returns what the client cannot do, apart from waking its agents, as a list for a sentence. */
export function listMissingAbilities(name: LaunchedClient): readonly string[] {
  const row = getClientAbilities(name);
  const missing = Object.entries(abilityNames).filter(([key]) => Reflect.get(row, key) === false);
  return missing.map(([, text]) => text);
}
