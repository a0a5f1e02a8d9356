import { askYesOrNo, canAsk } from "../command/ask.js";
import type { CommandContext } from "../command/command.js";
import { isSet } from "../command/flags.js";
import { exitCodes, interruptedError, usageError } from "../core/cli-error.js";
import type { FilePlan } from "./plan-file.js";
import { describePlans, toJson } from "./show-plans.js";
import { writePlan } from "./write-plan.js";

export interface Undertaking {
  /** `merkle install`, as it is typed. */
  readonly command: string;
  readonly plans: readonly FilePlan[];
  /** What is said when it is done, and when there is nothing to do. */
  readonly done: string;
  readonly nothing: string;
  /** Called around the writing: what is remembered must be there before, and nothing forgotten that is not undone. */
  readonly before: () => Promise<void>;
  readonly after: () => Promise<void>;
}

/** Shows what would change, asks, and changes it. */
export async function carryOut(context: CommandContext, undertaking: Undertaking): Promise<number> {
  const { flags, output, signal } = context;
  const { plans, command } = undertaking;
  const isChange = plans.some((each) => each.current !== each.next);
  const described = output.diff(describePlans(plans));
  if (!isChange || isSet(flags, "dryRun")) {
    output.show({ changed: false, files: toJson(plans) }, isChange ? described : undertaking.nothing);
    return exitCodes.done;
  }
  if (!isSet(flags, "yes")) {
    if (!canAsk(flags))
      throw usageError(`${command} needs -y where nobody can be asked.`, `${command} --dry-run`);
    output.note(described);
    if (!(await askYesOrNo("Change these files?", signal))) throw interruptedError();
  }
  await undertaking.before();
  for (const plan of plans) await writePlan(plan);
  await undertaking.after();
  output.show({ changed: true, files: toJson(plans) }, `${output.mark.ok} ${undertaking.done}`);
  return exitCodes.done;
}
