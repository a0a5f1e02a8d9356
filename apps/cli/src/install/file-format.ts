import type { Addition, FileAdditions } from "../clients/client.js";
import { editToAdd, editToRemove, findValue, missingOnTheWay, type TextEdit } from "./json-edit.js";
import { editToAddTable, editToRemoveTable, findTomlValue } from "./toml-edit.js";

/** Functions that edit a configuration file in one format, and leave all other characters unchanged. */
export interface FileFormat {
  readonly label: string;
  /** The text of a file without any settings. */
  readonly empty: string;
  editToAdd(text: string, addition: Addition): TextEdit | null;
  editToRemove(text: string, addition: Addition, made: readonly string[][]): TextEdit | null;
  missingOnTheWay(text: string, addition: Addition): string[][];
  findValue(text: string, path: readonly string[]): { readonly value: unknown } | undefined;
}

function json(reading: { readonly comments: boolean }): FileFormat {
  return {
    label: "JSON",
    empty: "{}\n",
    editToAdd: (text, addition) => editToAdd(text, addition, reading),
    editToRemove: (text, addition, made) => editToRemove(text, addition, made, reading),
    missingOnTheWay: (text, addition) => missingOnTheWay(text, addition, reading),
    findValue: (text, path) => findValue(text, path, reading),
  };
}

export const fileFormats: Readonly<Record<FileAdditions["format"], FileFormat>> = {
  json: json({ comments: false }),
  jsonc: json({ comments: true }),
  toml: {
    label: "TOML",
    empty: "",
    editToAdd: editToAddTable,
    editToRemove: editToRemoveTable,
    // A table's header creates its parent tables implicitly.
    missingOnTheWay: () => [],
    findValue: findTomlValue,
  },
};
