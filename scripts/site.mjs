/**
 * `npm run site [folder] [base]`: the docs as a static site, to be searched offline; in `site/` for a web host's root unless told.
 * `npm start` and `npm pack` have it made among the dashboard's pages, where the broker serves it at `/docs`.
 */
import { resolve } from "node:path";
import { buildSite } from "./site/build-site.mjs";
import { install, root } from "./steps.mjs";

const [folder = "site", base = "/"] = process.argv.slice(2);
await install();
const pages = await buildSite({ root, folder: resolve(root, folder), base });
console.log(`${pages} pages in ${folder}/`);
