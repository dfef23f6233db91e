import type { ReactNode } from 'react'

interface TableBoxProps {
  title: string
  /** What the columns are called. */
  head?: readonly string[]
  styles: CSSModuleClasses
  /** The rows. */
  children: ReactNode
}

/** A table in a box that scrolls by itself, so it must be focusable by keyboard. */
export const TableBox = ({ title, head, styles, children }: TableBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
  <section className={styles.box} tabIndex={0} aria-label={title}>
    <table className={styles.table}>
      <caption className="hidden">{title}</caption>
      {head && (
        <thead>
          <tr>
            {head.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>{children}</tbody>
    </table>
  </section>
)
