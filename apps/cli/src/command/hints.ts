import type { CommandDescription } from "./command.js";

/** Words that users may try first or know from other programs, with the corresponding merkle commands. */
export const hints: Readonly<Record<string, readonly string[]>> = {
  alerts: ["merkle open (then Settings → Notifications → Push and webhooks)", "merkle inbox"],
  ask: ["merkle post <session> <text> --ask"],
  auth: ["merkle whoami", "merkle join -"],
  chat: ["merkle post <session> <text>", "merkle watch <session>"],
  close: ["merkle conclude <session>"],
  cost: ["merkle usage"],
  create: ["merkle new <title>"],
  dashboard: ["merkle open"],
  end: ["merkle conclude <session>"],
  feed: ["merkle tail <session>"],
  follow: ["merkle watch <session>"],
  health: ["merkle status", "merkle doctor"],
  history: ["merkle tail <session> --since 0"],
  id: ["merkle whoami"],
  init: ["merkle install", "merkle launch"],
  list: ["merkle ls"],
  login: ["merkle join -", "merkle whoami"],
  logout: ["merkle token list", "merkle token revoke <number>"],
  memory: ["merkle recall", "merkle remember <text>"],
  messages: ["merkle tail <session>"],
  me: ["merkle whoami"],
  notifications: ["merkle inbox", "merkle open (then Settings → Notifications, or Push and webhooks)"],
  ps: ["merkle agents", "merkle status"],
  proposals: ["merkle doc proposals <session>"],
  read: ["merkle tail <session> --since unread"],
  run: ["merkle launch", "merkle up"],
  say: ["merkle post <session> <text>"],
  send: ["merkle post <session> <text> --to <who>"],
  serve: ["merkle up"],
  server: ["merkle up", "merkle status"],
  session: ["merkle ls", "merkle show <session>"],
  "session list": ["merkle ls"],
  "session new": ["merkle new <title>"],
  sessions: ["merkle ls"],
  settings: ["merkle config list"],
  start: ["merkle up"],
  stop: ["merkle down"],
  team: ["merkle peers <session>", "merkle members"],
  todo: ["merkle tasks"],
  topics: ["merkle doc topics <session>"],
  ui: ["merkle open"],
  users: ["merkle members"],
  who: ["merkle agents", "merkle peers <session>"],
};

/**
 * Returns the commands of this build that unknown words probably mean. Undefined if the nearest command name
 * is the better guess.
 */
export function findHint(
  words: readonly string[],
  commands: readonly Pick<CommandDescription, "name">[],
): readonly string[] | undefined {
  const [first = ""] = words;
  const firstTwo = words.slice(0, 2).join(" ").toLowerCase();
  const hint = findExactHint(firstTwo) ?? findExactHint(first.toLowerCase()) ?? [];
  const known = hint.filter((advice) =>
    commands.some(({ name }) => `${advice} `.startsWith(`merkle ${name} `)),
  );
  return known.length > 0 ? known : undefined;
}

function findExactHint(words: string): readonly string[] | undefined {
  return Object.hasOwn(hints, words) ? hints[words] : undefined;
}
