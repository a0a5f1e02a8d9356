import { counted } from "./duration.js";

export interface RowCounts {
  readonly sessions: number;
  readonly messages: number;
}

/** What of a backup people ask about. */
export function countRows(tables: readonly { readonly name: string; readonly rows: number }[]): RowCounts {
  const of = (name: string) => tables.find((table) => table.name === name)?.rows ?? 0;
  return { sessions: of("sessions"), messages: of("messages") };
}

export function rowsText({ sessions, messages }: RowCounts): string {
  return `${counted(sessions, "session")}, ${counted(messages, "message")}`;
}
