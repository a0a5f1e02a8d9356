/** The tool with which an agent asks its user questions, and the tool that ends its planning. */
export const questionTool = "AskUserQuestion";
export const planTool = "ExitPlanMode";

/** Names, in place of a tool, that an agent has ended its turn with a question. */
export const turnEndTool = "Stop";

/** Describes what an agent wants from its person, as in "Birch asks to use Bash". */
export function describeRequest(tool: string): string {
  if (tool === questionTool) return "asks you a question";
  if (tool === turnEndTool) return "ended its turn with a question";
  return tool === planTool ? "asks you to approve its plan" : `asks to use ${tool}`;
}
