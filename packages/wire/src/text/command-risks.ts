/** What a command may do that a person should see before allowing it. */
export type RiskKind = "destructive" | "network" | "production";

export interface Risk {
  readonly kind: RiskKind;
  /** The part of the text, from the first to before the last index. */
  readonly from: number;
  readonly to: number;
}

/**
 * Words that stand out in a command. The list is short on purpose: it points at what people regret most. It
 * cannot show that a command is harmless, because a command can be written in any number of other ways.
 */
const patterns: Readonly<Record<RiskKind, readonly RegExp[]>> = {
  destructive: [
    /\b(?:rm|rmdir|unlink|shred|mkfs(?:\.\w+)?|dd|truncate|kill|pkill|killall)\b(?=\s)/g,
    /\s-delete\b/g,
    /\bgit\s+(?:reset\s+--hard|clean|restore|checkout\s+--|stash\s+(?:drop|clear)|branch\s+-D)\b/g,
    /\s(?:--force(?:-with-lease)?|--hard|--mirror|--no-verify)\b/g,
    /\bgit\s+push\b[^\n;&|]{0,80}?\s(?:-f|--delete|-d)\b/g,
    /\b(?:drop\s+(?:table|database|schema|index|role|user)|truncate\s+table|delete\s+from)\b/gi,
    /\b(?:kubectl|helm|docker|podman)\s+(?:delete|uninstall|rm|rmi|kill|system\s+prune|volume\s+rm)\b/g,
    /\bterraform\s+(?:destroy|apply)\b/g,
    /\b(?:chmod|chown)\s+-\w*R/g,
  ],
  network: [
    /\b(?:curl|wget|nc|ncat|netcat|ssh|scp|sftp|rsync|ftp|telnet)\b(?=\s)/g,
    /\bgit\s+(?:push|pull|fetch|clone)\b/g,
    /\b(?:npm|pnpm|yarn|bun|pip3?|uv|cargo|gem|go|brew|apt|apt-get|dnf|apk)\s+(?:install|i|ci|add|get|publish|update|upgrade)\b/g,
    /\b(?:npx|pnpx|bunx|uvx)\b(?=\s)/g,
    /\b(?:docker|podman)\s+(?:pull|push|run|build|login)\b/g,
    /\b(?:gh|aws|gcloud|az|kubectl|helm|heroku|vercel|flyctl)\b(?=\s)/g,
    /\b(?:https?|ftp|wss?):\/\/[^\s"'`<>]+/gi,
  ],
  production: [
    /(?<![a-z0-9])prod(?:uction)?(?![a-z0-9])/gi,
    /\b(?:npm|pnpm|yarn|bun|cargo)\s+publish\b/g,
    /(?<![a-z0-9-])--(?:live|release)(?![a-z0-9-])/g,
  ],
};

/** Finds known words in a command, in their order in the text. Parts of different kinds can overlap. */
export function findRisks(text: string): Risk[] {
  return Object.entries(patterns)
    .flatMap(([kind, list]) => list.flatMap((pattern) => find(text, kind as RiskKind, pattern)))
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

function find(text: string, kind: RiskKind, pattern: RegExp): Risk[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match }) => {
    const from = index + match.length - match.trimStart().length;
    return { kind, from, to: index + match.length };
  });
}

export interface TextPart {
  readonly text: string;
  readonly from: number;
  readonly isMarked: boolean;
}

/** Splits a text into parts that are marked and parts that are not. Joined, the parts are the whole text. */
export function splitAtRisks(text: string, risks: readonly Risk[]): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  const add = (to: number, isMarked: boolean) => {
    if (to > end) parts.push({ text: text.slice(end, to), from: end, isMarked });
    end = Math.max(end, to);
  };
  for (const { from, to } of risks) {
    add(from, false);
    add(to, true);
  }
  add(text.length, false);
  return parts;
}
