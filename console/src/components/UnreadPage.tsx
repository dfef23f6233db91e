import type { ComponentProps } from 'react'
import { Loaded } from './Loaded.tsx'
import { Page, Surface } from './Page.tsx'

type UnreadPageProps = Pick<ComponentProps<typeof Page>, 'title' | 'back'> &
  Pick<ComponentProps<typeof Loaded>, 'query'>

/** The page of one resource before it is read, or if it could not be read. */
export const UnreadPage = ({ title, back, query }: UnreadPageProps) => (
  // Another one than the page that follows, whose heading then gets the focus.
  <Page key="unread" title={title} back={back}>
    <Surface>
      <Loaded query={query}>{null}</Loaded>
    </Surface>
  </Page>
)
