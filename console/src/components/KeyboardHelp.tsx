import { useWords } from '../messages/messages.ts'
import type { MenuEntry } from '../page-route.ts'
import { Dialog } from './Dialog.tsx'
import styles from './KeyboardHelp.module.css'
import { pageKeys } from './page-keys.ts'

type Row = readonly [key: string, about: string]

const Keys = ({ rows }: { rows: readonly Row[] }) => (
  <dl className={styles.keys}>
    {rows.map(([key, about]) => (
      <div key={key}>
        <dt>
          <kbd dir="ltr">{key}</kbd>
        </dt>
        <dd>{about}</dd>
      </div>
    ))}
  </dl>
)

const KeyboardHelp = ({ pages, onClose }: { pages: readonly MenuEntry[]; onClose: () => void }) => {
  const { language, messages } = useWords()
  const { shell } = messages
  const { keys } = shell
  const here = pageKeys()
  const rows: Row[] = [
    ['Ctrl K', keys.palette],
    ['z', keys.undo],
    ...pages.map(({ key, title }): Row => [`g ${key}`, title.of(language)]),
    ['?', keys.help],
  ]
  return (
    <Dialog title={shell.keyboard} onClose={onClose}>
      {here.length > 0 && (
        <>
          <h3>{keys.here}</h3>
          <Keys rows={here} />
          <h3>{keys.everywhere}</h3>
        </>
      )}
      <Keys rows={rows} />
    </Dialog>
  )
}

export default KeyboardHelp
