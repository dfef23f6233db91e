import { useMessages } from '../messages/messages.ts'
import { useToast } from './Toast.tsx'

/** Puts a text into the clipboard, and says so. */
export const useCopy = () => {
  const { controls } = useMessages()
  const toast = useToast()
  return (text: string) =>
    navigator.clipboard.writeText(text).then(
      () => toast(controls.copied),
      () => toast(controls.failed, { bad: true }),
    )
}
