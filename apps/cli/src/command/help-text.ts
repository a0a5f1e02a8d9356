import type { CommandDescription, CommandGroup, Flag } from "./command.js";
import { frontCommands } from "./front-help.js";

/** Help says what it is and shows the commands that most people need, on one screen; the others have topics. */
export function formatFrontHelp(groups: readonly CommandGroup[], columns: number): string {
  const rows = frontCommands.flatMap((group) => group.rows);
  const width = Math.max(...rows.map(([left]) => left.length));
  const topics = [...groups.map(({ topic }) => topic).filter((topic) => topic !== ""), ...otherTopics];
  return sections(
    "Coding agents of different people, at work on one thing.",
    ...frontCommands.map((group) => section(group.title, group.rows, columns, width)),
    [
      "More: merkle help <command>, or merkle help <topic>:",
      ...wrapWords(topics.join(" "), frontColumns - 2).map((line) => `  ${line}`),
    ].join("\n"),
  );
}

/** So wide is what fits everywhere. */
const frontColumns = 60;

/** Topics that are no group of commands. */
const otherTopics = ["flags", "environment", "all"];

/** The commands of one group. */
export function formatTopicHelp({ title, commands }: CommandGroup, columns: number): string {
  const shown = commands.filter((each) => !each.hidden);
  return sections(
    section(
      title,
      shown.map((each): Row => [usageOf(each), each.summary]),
      columns,
    ),
    "More: merkle help <command>, merkle help flags",
  );
}

export function formatFlagsHelp(globalFlags: readonly Flag[], columns: number): string {
  const flags = section("Flags of every command", [...globalFlags.map(toRow), helpRow], columns);
  return sections(flags, exitCodes(columns));
}

/** Everything: what it is, examples, and all commands and flags. */
export function formatRootHelp(
  groups: readonly CommandGroup[],
  globalFlags: readonly Flag[],
  columns: number,
): string {
  const rows = groups.map(({ title, commands }) => ({
    title,
    rows: commands.filter((each) => !each.hidden).map((each): Row => [usageOf(each), each.summary]),
  }));
  const width = Math.max(...rows.flatMap((group) => group.rows.map(([left]) => left.length)));
  return sections(
    sentence(
      "Merkle lets coding agents of different people, on different machines, work on one thing together.",
      columns,
    ),
    examples(["merkle up", 'merkle new "Split the auth service"', "merkle ls"]),
    ...rows.map((group) => section(group.title, group.rows, columns, width)),
    section(
      "More",
      [
        ["help <command>", "show what a command does, with examples"],
        [
          "help <topic>",
          groups
            .map(({ topic }) => topic)
            .filter((topic) => topic !== "")
            .join(", "),
        ],
        ["help environment", "list the variables that commands read"],
      ],
      columns,
      width,
    ),
    section(
      "Flags",
      [...globalFlags.map(toRow), ["--version", "print the version"], helpRow],
      columns,
      width,
    ),
    exitCodes(columns),
  );
}

const exitCodesLines = [
  "Exit codes: 0 done, 1 unexpected, 2 usage, 3 broker unreachable, 4 refused,",
  "5 not found, 6 conflict, 7 session closed or held, 8 verification failed, 130 interrupted.",
];

function exitCodes(columns: number): string {
  return exitCodesLines.map((line) => sentence(line, columns)).join("\n");
}

/** Variables that commands read, as help lists them; what they mean for whom is in the rules of each command. */
export const environmentVariables: readonly Row[] = [
  ["MERKLE_HOME", "the folder of everything this machine keeps; ~/.merkle unless told"],
  ["MERKLE_URL", "where commands find the broker; MCP_URL is read too"],
  ["MERKLE_MESH", "the mesh that commands are in; main, or the only one that you joined, unless told"],
  ["MERKLE_TOKEN", "a member's token (merkle token create), for machines that have joined nothing"],
  ["MERKLE_CA", "a file of authorities that commands trust, instead of the system's"],
  ["MERKLE_INSECURE", "1 lets commands speak in clear text to another machine"],
  ["MERKLE_PORT", "the port of up, and where commands look without an address; 7423 unless told"],
  ["MERKLE_AUTH", "open or invite: whom up lets in"],
  ["MERKLE_PUBLIC_URL", "the address that up gives to agents, until the settings name one"],
  ["MERKLE_ALLOWED_HOSTS", "further host names that the broker answers to, separated by commas"],
  ["MERKLE_TLS_CERT, MERKLE_TLS_KEY", "certificate and key with which up speaks https and wss"],
  ["MERKLE_TRUSTED_PROXIES", "addresses and ranges of proxies that up believes, separated by commas"],
  [
    "OPENAI_API_KEY, OPENAI_BASE_URL",
    "by which key and where up has progress entries summarised; an address alone is for a model that takes no key; not unless told",
  ],
  ["AGENT_PROGRESS_MODEL", "the model that summarises them; gpt-4o-mini unless told"],
  ["AGENT_PROGRESS_LOG_LEVEL", "how much up says of that: debug, info, warn or error; info unless told"],
  ["DATABASE_URL", "a PostgreSQL of your own for up, instead of the embedded one"],
  ["DATABASE_READ_URL", "a streaming replica of it, from which up reads histories and searches"],
  ["MERKLE_BUS", "local, postgres or nats://host:4222: how brokers on one database hear of each other"],
  ["MERKLE_AUDIT_KEY_FILE", "the audit key that brokers on one database share, for up"],
  [
    "MERKLE_ARCHIVE_URL",
    "s3://bucket/prefix?region=…&endpoint=https://…: where up moves archived sessions to; with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN",
  ],
  ["MERKLE_TRACES_URL", "where up sends OpenTelemetry traces by OTLP over HTTP; not unless told"],
  ["MERKLE_SESSION", "the session of commands that name none"],
  ["MERKLE_TEAM", "with MERKLE_SESSION: the team that this shell writes as"],
  ["MERKLE_PEER", "with both: the id of the peer in it, as merkle launch sets it for its agent"],
  ["VISUAL, EDITOR", "what merkle doc edit opens; vi unless told"],
  ["BROWSER", "what merkle open opens, instead of the system's browser"],
  ["NO_COLOR", "no colour"],
];

/** Help on the variables, which are no command's. */
export function formatEnvironmentHelp(columns: number): string {
  return sections(
    sentence(
      "Variables that every command reads. A flag comes before them; a trusted .merkle.json, config.json and the default after.",
      columns,
    ),
    sentence(
      "up, upgrade, backup, restore, doctor and config list also read .env.local and .env of the folder they are started in, behind the environment.",
      columns,
    ),
    section("Variables", environmentVariables, columns),
  );
}

export function formatGroupHelp(
  name: string,
  members: readonly CommandDescription[],
  globalFlags: readonly Flag[],
  columns: number,
): string {
  return sections(
    `The commands of merkle ${name}.`,
    examples(members.flatMap((each) => each.examples.slice(0, 1)).slice(0, 3)),
    section(
      "Commands",
      members.map((each): Row => [usageOf(each), each.summary]),
      columns,
    ),
    section("Flags of every command", [...globalFlags.map(toRow), helpRow], columns),
  );
}

export function formatCommandHelp(
  command: CommandDescription,
  globalFlags: readonly Flag[],
  columns: number,
): string {
  const { summary, arguments: args = [] } = command;
  const flags = (command.flags ?? []).filter((each) => !each.hidden);
  return sections(
    sentence(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, columns),
    examples(command.examples),
    `Usage: merkle ${usageOf(command)}${flags.length > 0 ? " [flags]" : ""}`,
    section(
      "Arguments",
      args.map((each): Row => [each.name, each.summary]),
      columns,
    ),
    section("Flags", flags.map(toRow), columns),
    section("Flags of every command", [...globalFlags.map(toRow), helpRow], columns),
  );
}

type Row = readonly [string, string];

const helpRow: Row = ["-h, --help", "show this"];

function usageOf({ name, arguments: args = [] }: CommandDescription): string {
  return [name, ...args.map((each) => each.name)].join(" ");
}

function toRow({ flags, summary }: Flag): Row {
  return [flags, summary];
}

function examples(lines: readonly string[]): string {
  return lines.map((line) => `  $ ${line}`).join("\n");
}

function section(
  title: string,
  rows: readonly Row[],
  columns: number,
  width = Math.max(...rows.map(([left]) => left.length)),
): string {
  if (rows.length === 0) return "";
  return [`${title}:`, ...rows.map((row) => formatRow(row, width, columns))].join("\n");
}

/** The right side is broken between words, and stands below the left one where there is little room beside it. */
function formatRow([left, right]: Row, width: number, columns: number): string {
  const beside = " ".repeat(width + 4);
  const isBeside = columns - beside.length >= besideMin;
  const indent = isBeside ? beside : "      ";
  const [first = "", ...rest] = wrapWords(right, Math.max(besideMin, columns - indent.length));
  const head = isBeside ? [`  ${left.padEnd(width)}  ${first}`] : [`  ${left}`, indent + first];
  return [...head, ...rest.map((line) => indent + line)].join("\n");
}

const besideMin = 32;

function sentence(text: string, columns: number): string {
  return wrapWords(text, columns).join("\n");
}

function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function sections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
