// Loaded when something is asked. Only what is named here gets into the package: all of it is nearly as large as the broker.
export { confirm, input, password, search } from "@inquirer/prompts";
