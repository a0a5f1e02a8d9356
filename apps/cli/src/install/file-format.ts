import type { Addition, FileAdditions } from "../clients/client.js";
import { findValue, listMissingParents, planAddition, planRemoval, type TextEdit } from "./json-edit.js";
import { findTomlValue, planTableAddition, planTableRemoval } from "./toml-edit.js";

/** Functions that edit a configuration file in one format, and leave all other characters unchanged. */
export interface FileFormat {
  readonly label: string;
  /** The text of a file without any settings. */
  readonly empty: string;
  planAddition(text: string, addition: Addition): TextEdit | null;
  planRemoval(text: string, addition: Addition, made: readonly string[][]): TextEdit | null;
  listMissingParents(text: string, addition: Addition): string[][];
  findValue(text: string, path: readonly string[]): { readonly value: unknown } | undefined;
}

function createJsonFormat(syntax: { readonly hasComments: boolean }): FileFormat {
  return {
    label: "JSON",
    empty: "{}\n",
    planAddition: (text, addition) => planAddition(text, addition, syntax),
    planRemoval: (text, addition, made) => planRemoval(text, addition, made, syntax),
    listMissingParents: (text, addition) => listMissingParents(text, addition, syntax),
    findValue: (text, path) => findValue(text, path, syntax),
  };
}

export const fileFormats: Readonly<Record<FileAdditions["format"], FileFormat>> = {
  json: createJsonFormat({ hasComments: false }),
  jsonc: createJsonFormat({ hasComments: true }),
  toml: {
    label: "TOML",
    empty: "",
    planAddition: planTableAddition,
    planRemoval: planTableRemoval,
    // A table's header creates its parent tables implicitly.
    listMissingParents: () => [],
    findValue: findTomlValue,
  },
};
