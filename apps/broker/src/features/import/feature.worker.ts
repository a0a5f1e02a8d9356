/** What a worker thread runs. It imports nothing that loads the database code. */

export { verifyBundleTask } from "./verify-bundle-file.js";
