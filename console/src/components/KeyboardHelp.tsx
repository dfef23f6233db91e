import type { Messages } from '../messages/messages.ts'
import { useMessages } from '../messages/messages.ts'
import { Dialog } from './Dialog.tsx'
import styles from './KeyboardHelp.module.css'

interface Keyed {
  key: string
  label: (messages: Messages) => string
}

const KeyboardHelp = ({ pages, onClose }: { pages: readonly Keyed[]; onClose: () => void }) => {
  const messages = useMessages()
  const { shell } = messages
  const { keys } = shell
  const rows: [string, string][] = [
    ['Ctrl K', keys.palette],
    ['/', keys.search],
    ['j', keys.nextRow],
    ['k', keys.previousRow],
    ['Enter', keys.openRow],
    ['x', keys.selectRow],
    ...pages.map(({ key, label }): [string, string] => [`g ${key}`, label(messages)]),
    ['?', keys.help],
  ]
  return (
    <Dialog title={shell.keyboard} onClose={onClose}>
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
    </Dialog>
  )
}

export default KeyboardHelp
