// Loaded on demand, when a command asks a question. Only the functions exported here are bundled, because the
// whole library is nearly as large as the broker.
export { confirm, input, password, search } from "@inquirer/prompts";
