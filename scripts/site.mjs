/**
 * `npm run site [folder] [base]` builds the docs as a static site with offline search. By default it is in `site/`, for the root
 * of a web host. `npm start` and `npm pack` build it among the dashboard's pages, and the broker serves it at `/docs`.
 */
import { resolve } from "node:path";
import { buildSite } from "./site/build-site.mjs";
import { install, root } from "./steps.mjs";

const [folder = "site", base = "/"] = process.argv.slice(2);
await install();
const pages = await buildSite({ root, folder: resolve(root, folder), base });
console.log(`${pages} pages in ${folder}/`);
