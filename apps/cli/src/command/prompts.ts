// Loaded on demand when something is asked. Only the functions named here are bundled, because the whole
// library is nearly as large as the broker.
export { confirm, input, password, search } from "@inquirer/prompts";
