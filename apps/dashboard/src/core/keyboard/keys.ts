/** Whether single-character shortcuts work, need Alt, or are off. */
export type LetterKeys = "on" | "alt" | "off";

/** A key press with its modifiers. */
export interface KeyPress {
  readonly key: string;
  readonly mod: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
}

/** Parses shortcuts such as `mod+k`, `?` or `g s`. */
export function parseKeys(keys: string): readonly KeyPress[] {
  return keys
    .trim()
    .split(/\s+/)
    .map((press) => {
      const parts = press.length > 1 ? press.split("+") : [press];
      const key = parts.pop() ?? "";
      return {
        key: key.length === 1 ? key.toLowerCase() : key,
        mod: parts.includes("mod"),
        shift: parts.includes("shift"),
        alt: parts.includes("alt"),
      };
    });
}

/** True if the event matches this key press. Single characters without modifiers follow the `letterKeys` preference. */
export function isPressed(press: KeyPress, event: KeyboardEvent, letterKeys: LetterKeys): boolean {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const hasMod = event.ctrlKey || event.metaKey;
  if (press.mod !== hasMod) return false;
  const isCharacter = press.key.length === 1;
  const isAlone = isCharacter && !press.mod && !press.alt;
  if (isAlone && letterKeys === "off") return false;
  const needsAlt = press.alt || (isAlone && letterKeys === "alt");
  // With Alt held, a key may produce another character. The event's code still identifies the key.
  const isSameKey = key === press.key || (needsAlt && event.code === `Key${press.key.toUpperCase()}`);
  // Some keyboards need Shift for punctuation, so Shift counts only for letters.
  const isLetter = /^[a-z]$/.test(press.key);
  return (
    isSameKey && event.altKey === needsAlt && (!(isLetter || !isCharacter) || event.shiftKey === press.shift)
  );
}

/** True if the element accepts text. Letters typed there are text and not shortcuts. */
export function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement
  )
    return true;
  return target instanceof HTMLInputElement && !buttonLike.has(target.type);
}

export function isModifier(key: string): boolean {
  return key === "Shift" || key === "Control" || key === "Alt" || key === "Meta";
}

const buttonLike = new Set(["button", "checkbox", "radio", "submit", "reset", "range", "color", "file"]);
