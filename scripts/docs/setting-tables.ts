import type { JsonSchema } from "@merkle/wire";
import {
  brokerSettingsDefault,
  catalogue,
  describeSchema,
  sessionSettingsDefault,
} from "@merkle/wire/schemas";
import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";

/** Returns the settings of a broker and of a session, with defaults and ranges. */
export function renderSettingTables(): string {
  const { shared } = describeSchema(catalogue.get_settings.output, "output", "");
  return [
    "## Broker settings",
    renderSettingTable(shared["BrokerSettings"], brokerSettingsDefault),
    "## Session settings",
    renderSettingTable(shared["SessionSettings"], sessionSettingsDefault),
  ].join("\n\n");
}

function renderSettingTable(schema: JsonSchema | undefined, defaults: object): string {
  const rows = Object.entries(schema?.properties ?? {});
  if (rows.length === 0) throw new Error("get_settings describes no settings.");
  return formatMarkdownTable(
    ["Setting", "Default", "Range", "Meaning"],
    rows.map(([name, property]) => {
      const described = Object(property) as JsonSchema;
      const value = Object.entries(defaults).find(([key]) => key === name)?.[1];
      return [`\`${name}\``, `\`${value}\``, describeRange(described), described.description ?? ""];
    }),
  );
}

function describeRange(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.type === "boolean") return "`true`, `false`";
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `${shown(minimum)} to ${shown(maximum)}`;
  const [first] = (schema.anyOf ?? []).map((each) => Object(each) as JsonSchema);
  return first?.maxLength === undefined
    ? ""
    : `${first.format ?? "text"}, ${first.maxLength} characters; null`;
}

function shown(value: number): string {
  return value.toLocaleString("en-US");
}
