import { useState } from 'react'
import { useStore } from '../../api/store.tsx'
import { ChooseChange } from '../../components/change-many/ChooseChange.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import type { LandingPage } from './LandingPagePage.tsx'
import { useLandingPageWords } from './words.ts'

type Row = Pick<LandingPage, 'id' | 'title' | 'published_at'>

const rowOf = ({ id, title, published_at }: LandingPage): Row => ({ id, title, published_at })

/** Publishes the chosen pages, or all that match the filters, or makes drafts of them. */
const ChangeLandingPages = (props: Changing<LandingPage> & { onClose: () => void }) => {
  const words = useLandingPageWords()
  const { client } = useStore()
  // The same in a second attempt, which repeats the first.
  const [now] = useState(() => new Date().toISOString())
  const stateOf = (isPublished: boolean) => (isPublished ? words.published : words.draft)
  return (
    <ChooseChange<LandingPage, Row, 'publish' | 'unpublish'>
      {...props}
      resource="landing_page"
      lists={['landing-pages']}
      readAll={client.landingPages.all}
      pick={rowOf}
      heading={words.page}
      nameOf={({ title }) => <bdi>{title}</bdi>}
      choices={[
        { value: 'publish', label: words.publish },
        { value: 'unpublish', label: words.unpublish },
      ]}
      changeTo={(act) => {
        const publishes = act === 'publish'
        return {
          line: ({ id, published_at }) =>
            publishes === (published_at !== null) ? undefined : { id, published_at: publishes ? now : null },
          undo: ({ id, published_at }) => ({ id, published_at }),
          texts: () => [stateOf(!publishes), stateOf(publishes)],
        }
      }}
    />
  )
}

export default ChangeLandingPages
