import { type Ability, beyondWakingText, type ClientAbilities, clientTable } from "@merkle/wire/text";

/** Renders what each client can do (CLI-183). */
export function renderClientTable(): string {
  const rows = clientTable.map((client: ClientAbilities) => [
    client.label,
    `${client.tried}${client.isStandIn ? " (stand-in)" : ""}`,
    client.delivers,
    client.wakes === false ? beyondWakingText : client.wakes,
    ...[client.approvals, client.questions, client.ownWords, client.usage, client.claims].map(formatAbility),
  ]);
  return [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const headings = [
  "Client",
  "Tried version",
  "Messages in a turn and at its end",
  "An idle agent is woken",
  "[Approvals](../features/approvals.md) on other devices",
  "Questions answered there",
  "[Own words](../features/own-words.md)",
  "[Token usage](../features/usage.md)",
  "Warned before it edits [claimed](../features/tasks.md) files",
];

function formatAbility(ability: Ability): string {
  if (typeof ability === "string") return ability;
  return ability ? "yes" : "no";
}
