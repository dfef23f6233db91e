import { useState } from 'react'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { useMessages } from '../../messages/messages.ts'
import styles from './ConflictDialog.module.css'
import type { Draft } from './draft.ts'
import { type Choice, chosenSide, type Difference, differences, type Field, mergeDrafts } from './merge.ts'
import type { Conflict } from './save-product.ts'
import { useProductWords } from './words.ts'

const useFieldLabel = () => {
  const words = useProductWords()
  const labels: Record<Field, string> = {
    title: words.name,
    description: words.description,
    status: words.status,
    category_id: words.category,
    slug: words.slug,
    page_title: words.pageTitle,
    meta_description: words.metaDescription,
    is_digital: words.digital,
    stock_tracked: words.trackStock,
    allow_order_when_oos: words.sellWhenOut,
    images: words.pictures,
    videos: words.videos,
    image: words.picture,
    file: words.file,
    attributes: words.attributes,
    options: words.optionsAndVariants,
    variants: words.variants,
    sku: words.sku,
    price: words.price,
    compare_price: words.comparePrice,
    quantity: words.quantity,
  }
  return ({ field, variant }: Difference) => (variant ? `${variant} · ${labels[field]}` : labels[field])
}

const GROUPS = ['both', 'them', 'me'] as const

/** Both versions, field by field. What was typed is kept unless theirs is taken. */
export const ConflictDialog = ({
  conflict,
  categories,
  onResolve,
  onClose,
}: {
  conflict: Conflict
  categories: readonly { id: string; name: string }[]
  onResolve: (merged: Draft) => void
  onClose: () => void
}) => {
  const words = useProductWords()
  const { controls } = useMessages()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Choice>>(new Map())
  const label = useFieldLabel()
  const found = differences(conflict)
  const titles = { both: words.conflictClash, them: words.conflictTheirs, me: words.conflictMine }
  const text = (field: Field, value: string) => {
    if (field === 'category_id') return categories.find(({ id }) => id === value)?.name ?? words.noCategory
    if (field === 'status') return value === 'active' ? words.statuses.active : words.statuses.inactive
    if (value === 'true' || value === 'false') return value === 'true' ? controls.yes : controls.no
    return value || words.emptyValue
  }
  const Side = ({ difference, side }: { difference: Difference; side: Choice }) => (
    <label className={styles.side}>
      <input
        type="radio"
        name={difference.id}
        aria-label={(side === 'mine' ? words.useYours : words.useTheirs)(label(difference))}
        checked={chosenSide(difference, chosen) === side}
        onChange={() => setChosen(new Map(chosen).set(difference.id, side))}
      />
      <span dir="auto">{text(difference.field, difference[side])}</span>
    </label>
  )
  return (
    <Dialog
      wide
      title={words.conflictTitle}
      onClose={onClose}
      onSubmit={() => onResolve(mergeDrafts(conflict, chosen))}
      footer={
        <>
          <Button onClick={onClose}>{words.keepEditing}</Button>
          <Button kind="primary" type="submit">
            {words.saveMerged}
          </Button>
        </>
      }
    >
      <p>{words.conflictHelp}</p>
      <div className={styles.box}>
        <table className={styles.table}>
          <caption className="hidden">{words.conflictTitle}</caption>
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <th scope="col">{words.yours}</th>
              <th scope="col">{words.theirs}</th>
            </tr>
          </thead>
          {GROUPS.map((by) => {
            const group = found.filter((difference) => difference.by === by)
            return (
              group.length > 0 && (
                <tbody key={by}>
                  <tr>
                    <th colSpan={3} scope="colgroup" className={styles.group}>
                      {titles[by]}
                    </th>
                  </tr>
                  {group.map((difference) => (
                    <tr key={difference.id}>
                      <th scope="row" dir="auto">
                        {label(difference)}
                      </th>
                      <td>
                        <Side difference={difference} side="mine" />
                      </td>
                      <td>
                        <Side difference={difference} side="theirs" />
                      </td>
                    </tr>
                  ))}
                </tbody>
              )
            )
          })}
        </table>
      </div>
    </Dialog>
  )
}
