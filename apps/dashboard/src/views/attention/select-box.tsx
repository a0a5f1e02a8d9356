export interface SelectBoxProps {
  readonly label: string;
  readonly isSelected: boolean;
  readonly onSelect: (isSelected: boolean) => void;
}

/** A checkbox at the start of a row. */
export function SelectBox({ label, isSelected, onSelect }: SelectBoxProps) {
  return (
    <label className="-ms-1 grid size-6 shrink-0 place-items-center pointer-coarse:-ms-3 pointer-coarse:size-11">
      <input
        type="checkbox"
        aria-label={label}
        checked={isSelected}
        onChange={(event) => onSelect(event.target.checked)}
        className="size-4 accent-primary"
      />
    </label>
  );
}
