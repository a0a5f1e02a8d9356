/** The agents of a mesh and what each is doing. */
export type { Agent, AgentTalk, AgentWait } from "./operations.js";
export { rules } from "./rules.js";
