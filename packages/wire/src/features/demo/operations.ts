import * as z from "zod";
import { retryable, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

export const openDemoRoom = operation("open_demo_room", {
  summary:
    "Open a session in a separate mesh where two scripted agents disagree, ask the visitor and continue with the answer; or find the open one.",
  unlisted: true,
  input: z.strictObject({ ...retryable }),
  output: z.object({
    mesh: z.string().meta({ description: "The mesh to enter by name." }),
    session_id: Uuid,
    session: z.string().meta({ description: "Its slug." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ mesh, session }) =>
    `session ${formatInlineName(session)} is open in mesh ${formatInlineName(mesh)}`,
});
