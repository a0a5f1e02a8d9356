import { useShortcut } from "@/core/keyboard/use-shortcut";

/**
 * Registers a shortcut of the task sheet. A page's single-key shortcuts are off while a dialog is open, as they are in text fields.
 * The sheet has no text fields, so its own work there, unless another dialog is open above it.
 */
export function useSheetKey(
  keys: string,
  run: () => void,
  { label, enabled = true }: { readonly label: string; readonly enabled?: boolean },
): void {
  useShortcut(keys, () => isSheetOnTop() && run(), { label, group: "Tasks", inFields: true, enabled });
}

function isSheetOnTop(): boolean {
  const dialogs = document.querySelectorAll("dialog:modal");
  return dialogs[dialogs.length - 1]?.matches("[data-task-sheet]") === true;
}
