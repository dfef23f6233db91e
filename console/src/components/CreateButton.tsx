import { Plus } from 'lucide-react'
import { Button } from './Button.tsx'
import { usePageKeys } from './page-keys.ts'
import { useHotkeys } from './useHotkeys.ts'

/** Begins a new resource of a list. Its key is `n`. */
export const CreateButton = ({ label, onCreate }: { label: string; onCreate: () => void }) => {
  useHotkeys({ n: onCreate })
  usePageKeys([['n', label]])
  return (
    <Button kind="primary" icon={<Plus />} aria-keyshortcuts="n" onClick={onCreate}>
      {label}
    </Button>
  )
}
