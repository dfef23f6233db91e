import { type Client, useStore } from '../../api/store.tsx'
import { ChooseChange } from '../../components/change-many/ChooseChange.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import { useReviewWords } from './words.ts'

type Review = Awaited<ReturnType<Client['reviews']['get']>>

/** What a change of many reviews looks at. */
type Row = Pick<Review, 'id' | 'status' | 'reviewer_name'> & { product: string }

const rowOf = ({ id, status, reviewer_name, product: { title } }: Review): Row => ({
  ...{ id, status, reviewer_name, product: title },
})

/** Publishes or hides the chosen reviews, or all that match the filters. */
const ChangeReviews = (props: Changing<Review> & { onClose: () => void }) => {
  const words = useReviewWords()
  const { client } = useStore()
  return (
    <ChooseChange<Review, Row, 'published' | 'hidden'>
      {...props}
      resource="review"
      lists={['reviews']}
      readAll={client.reviews.all}
      pick={rowOf}
      heading={words.review}
      nameOf={({ reviewer_name, product }) => (
        <>
          <bdi>{reviewer_name}</bdi>, <bdi>{product}</bdi>
        </>
      )}
      choices={[
        { value: 'published', label: words.publish },
        { value: 'hidden', label: words.hide },
      ]}
      changeTo={(status) => ({
        line: (row) => (row.status === status ? undefined : { id: row.id, status }),
        undo: ({ id, status }) => ({ id, status }),
        texts: (row) => [words.status[row.status], words.status[status]],
      })}
    />
  )
}

export default ChangeReviews
