"use client";

import { Paperclip } from "lucide-react";
import { MenuItem } from "@/components/menu-item";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import type { SessionMenuProps } from "@/parts/feature";

/* The parts that every session's page loads, in one file. */
export { ComposerFiles } from "./composer-files";
export { MessageFiles } from "./message-files";

const FilesSheet = lazyPart(() => import("./files-sheet"), "FilesSheet");

/** The files of a session, while the URL contains `?files=`. */
export function SessionFiles() {
  const [files, setFiles] = useQueryParam("files");
  usePaletteAction({ id: "session-files", label: "Show files", run: showFiles });
  return files === null ? null : <FilesSheet onClose={() => setFiles(null)} />;
}

function showFiles(): void {
  setQuery({ files: "all" });
}

/** The entry of the session's menu that lists its files. */
export function FilesItem({ close }: SessionMenuProps) {
  return (
    <MenuItem icon={Paperclip} onClick={close(showFiles)}>
      Files…
    </MenuItem>
  );
}
