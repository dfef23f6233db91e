import { Fragment } from 'react'
import { type Inline, parseMarks } from './marks.ts'

/** Parts of a text have no other identity than their place. */
const key = (place: number) => place

const Inlines = ({ nodes }: { nodes: readonly Inline[] }) =>
  nodes.map((node, place) => {
    if (node.kind === 'bold')
      return (
        <strong key={key(place)}>
          <Inlines nodes={node.inside} />
        </strong>
      )
    if (node.kind === 'text') return <Fragment key={key(place)}>{node.text}</Fragment>
    return (
      <a key={key(place)} href={node.href} target="_blank" rel="noopener noreferrer nofollow">
        {node.text}
      </a>
    )
  })

/** A text with its marks. Whatever it contains, it becomes elements of this file only: no HTML is taken from it. */
export const MarkedText = ({ text }: { text: string }) =>
  parseMarks(text).map((block, place) => {
    if (block.kind === 'paragraph')
      return (
        <p key={key(place)} dir="auto">
          {block.lines.map((line, number) => (
            <Fragment key={key(number)}>
              {number > 0 && <br />}
              <Inlines nodes={line} />
            </Fragment>
          ))}
        </p>
      )
    const items = block.items.map((item, number) => (
      <li key={key(number)}>
        <Inlines nodes={item} />
      </li>
    ))
    return block.isNumbered ? (
      <ol key={key(place)} dir="auto">
        {items}
      </ol>
    ) : (
      <ul key={key(place)} dir="auto">
        {items}
      </ul>
    )
  })
