import styles from './Segments.module.css'

interface SegmentsProps<Value> {
  /** For screen readers. */
  label: string
  values: readonly Value[]
  nameOf: (value: Value) => string
  chosen: Value
  onChoose: (value: Value) => void
}

/** A few choices side by side, of which one is pressed. */
export const Segments = <Value extends string | number>({
  label,
  values,
  nameOf,
  chosen,
  onChoose,
}: SegmentsProps<Value>) => (
  <fieldset className={styles.segments}>
    <legend className="hidden">{label}</legend>
    {values.map((value) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
        {nameOf(value)}
      </button>
    ))}
  </fieldset>
)
