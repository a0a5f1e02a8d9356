import { describeOperations } from "./operation.js";
import { coreRules } from "./rules.js";

export const operation = describeOperations(coreRules);
