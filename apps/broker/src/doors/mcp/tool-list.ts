import { type ListedTool, type Operation, operations, toTool } from "@merkle/wire";

/** Every operation as a tool, made once: clients ask for the list often. */
export const tools: ReadonlyMap<Operation, ListedTool> = new Map(
  operations.map((each) => [each, toTool(each)]),
);
