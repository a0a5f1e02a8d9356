import { createRoot } from "react-dom/client";
import { loadMarkdown } from "@/text/markdown/markdown-text";
import { RecordFile } from "./record-file";

/** The script of an HTML export (EXPORT-9): bundled with all that it needs, by scripts/record-page.mjs. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
follow();
dark.addEventListener("change", follow);

const page = document.getElementById("page");
if (page) {
  const name = decodeURIComponent(location.pathname.split("/").at(-1) ?? "") || "The record";
  const show = () => createRoot(page).render(<RecordFile name={name} />);
  // It is in this script already; waited for, no text is shown or printed as it was written first.
  loadMarkdown().then(show, show);
}
