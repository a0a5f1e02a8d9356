import { createRoot } from "react-dom/client";
import { loadMarkdown } from "@/text/markdown/markdown-text";
import { RecordFile } from "./record-file";

/** The script of an HTML export (EXPORT-9). scripts/record-page.mjs bundles it with everything it needs. */
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
follow();
dark.addEventListener("change", follow);

const page = document.getElementById("page");
if (page) {
  const name = decodeURIComponent(location.pathname.split("/").at(-1) ?? "") || "The record";
  const show = () => createRoot(page).render(<RecordFile name={name} />);
  // The renderer is part of this script. Waiting for it ensures that no text is shown or printed unformatted.
  loadMarkdown().then(show, show);
}
