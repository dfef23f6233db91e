import { useStore } from '../../api/store.tsx'
import { ChooseChange } from '../../components/change-many/ChooseChange.tsx'
import type { Changing } from '../../components/change-many/changing.ts'
import type { Bundle } from './BundleForm.tsx'
import { useBundleWords } from './words.ts'

type Row = Pick<Bundle, 'id' | 'name' | 'status'>

const rowOf = ({ id, name, status }: Bundle): Row => ({ id, name, status })

/** Offers the chosen bundles, or all that match the filters, or stops that. */
const ChangeBundles = (props: Changing<Bundle> & { onClose: () => void }) => {
  const words = useBundleWords()
  const { client } = useStore()
  return (
    <ChooseChange<Bundle, Row, Bundle['status']>
      {...props}
      resource="bundle"
      lists={['bundles']}
      readAll={client.bundles.all}
      pick={rowOf}
      heading={words.bundle}
      nameOf={({ name }) => <bdi>{name}</bdi>}
      choices={[
        { value: 'inactive', label: words.statuses.inactive },
        { value: 'active', label: words.statuses.active },
      ]}
      changeTo={(status) => ({
        line: (row) => (row.status === status ? undefined : { id: row.id, status }),
        undo: ({ id, status }) => ({ id, status }),
        texts: (row) => [words.statuses[row.status], words.statuses[status]],
      })}
    />
  )
}

export default ChangeBundles
